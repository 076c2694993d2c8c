"""Runs all changes that may remove an exception, each for a moment, and says which of them do; runs in the parent.

Loading TensorFlow takes most of the time of a short program, so the changed programs are forked from one process that
has it loaded (`stage`), in the sandbox, without the recorder. What comes of it is no verdict: it says which changes
deserve a trial. The program as it is runs there first, twice: where it does not fail in the same way both times, the
stage is no place for it, and nothing is said.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Literal, NamedTuple

import msgspec

from whydied.inside.trials import stage
from whydied.prove.experiment import Laboratory
from whydied.prove.observed import Call, Observed, short_name
from whydied.prove.rehearsal.program_start import library_names, start_of
from whydied.prove.verdicts import is_later, original_call
from whydied.source.text import Source

Standing = Literal["finishes", "later", "elsewhere", "again", "unknown"]
"""Ended well; failed at a later statement; of something else at the same one; as before or sooner; was not seen."""
ENOUGH = 8
"""Changes that let the program finish: those that come after them are less likely to be meant."""
MOST_JOBS = 4
_STARTS_S = 30.0


class Variant(NamedTuple):
    """A program as the texts of the files that were changed; `lines` are, by file, its lines with their numbers in the
    program that it is compared with."""

    texts: Mapping[str, str]
    lines: Mapping[str, Mapping[int, int]]


class Ending(msgspec.Struct, frozen=True):
    """How a variant ended, as the stage says it: "finished", "raised", "refused" (it may not do there what it would do
    elsewhere), "exit", "signal", "time", or "passed" (its time was over after it had passed the failure)."""

    number: int
    how: str
    raised: str = ""
    said: str = ""
    frames: list[tuple[str, str, int]] = []
    wall_s: float = 0.0


def rehearsed(
    laboratory: Laboratory,
    sources: Mapping[str, Source],
    before: Observed,
    base: Mapping[str, str],
    variants: list[Variant],
    limit_s: float,
) -> list[Standing] | None:
    """Where each variant of the program stands that failed as `before` says; `base` are the texts that this program
    has already. None where that cannot be said for any."""
    start, root = start_of(laboratory.terms), laboratory.terms.root
    if start is None or not before.raised:
        return None
    texts = [below(root, one.texts) for one in variants]
    chosen = [number for number, one in enumerate(texts) if one is not None]
    plain = below(root, base)
    if not chosen or plain is None:
        return None
    fits = max(1, laboratory.limit_bytes // max(1, 2 * (before.peak_bytes or 1)))
    task = stage.Task(
        imports=library_names(sources, root),
        variants=[plain, plain, *(one for one in texts if one is not None)],
        jobs=min(MOST_JOBS, os.cpu_count() or 1, fits),
        enough=ENOUGH,
        limit_s=2 * before.wall_s + _STARTS_S,
    )
    program = [root, *start.program]
    found = laboratory.rehearse([*start.python, stage.__file__], msgspec.json.encode(task._asdict()), program, limit_s)
    endings = {one.number: one for one in map(ending_of, found) if one is not None}
    first, second = endings.get(0), endings.get(1)
    if first is None or second is None or not _is_same_failure(first, second, before):
        return None
    standings: list[Standing] = ["unknown"] * len(variants)
    for place, number in enumerate(chosen):
        ending = endings.get(place + stage.ALONE)
        if ending is not None:
            standings[number] = standing(first, ending, variants[number].lines, root)
    return standings


def standing(first: Ending, ending: Ending, lines: Mapping[str, Mapping[int, int]], root: str) -> Standing:
    """Where a variant stands against the program as it is."""
    if ending.how == "finished":
        return "finishes"
    if ending.how == stage.PASSED:
        return "later"
    if ending.how in ("signal", "time"):
        return "unknown"
    before = stack_of(first, {}, root)
    after = stack_of(ending, lines, root)
    if is_later(before, after):
        return "later"
    if ending.how == "refused":
        return "unknown"
    same_place = before == after and ending.how == first.how
    return "elsewhere" if same_place and (ending.raised, ending.said) != (first.raised, first.said) else "again"


def stack_of(ending: Ending, lines: Mapping[str, Mapping[int, int]], root: str) -> tuple[Call, ...]:
    """Where the calls of a failure stood, by their lines before the change."""
    calls = (Call(short_name(os.path.join(root, file)), function, line) for file, function, line in ending.frames)
    return tuple(original_call(call, lines) for call in calls)


def _is_same_failure(first: Ending, second: Ending, before: Observed) -> bool:
    raised = before.raised.rpartition(".")[2]
    return (
        first.how == second.how == "raised"
        and first.raised == second.raised == raised
        and first.frames == second.frames
    )


def below(root: str, texts: Mapping[str, str]) -> dict[str, str] | None:
    """The texts by their paths below the root; None where a file lies elsewhere."""
    found = {os.path.relpath(file, root): text for file, text in texts.items()}
    return None if any(path.startswith(os.pardir) for path in found) else found


def ending_of(line: bytes) -> Ending | None:
    """None for a line that was not written to its end."""
    try:
        return msgspec.json.decode(line, type=Ending)
    except msgspec.MsgspecError:
        return None
