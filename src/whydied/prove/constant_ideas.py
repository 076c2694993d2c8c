"""Sizes that do not agree, and the constants of the program that they are computed from. Pure.

Where one size is written in a module and the other one in another (`IMAGE_SIZE = 48` of the net, `CROP = 32` of the
data), neither of the lines that meet is wrong: one of the two constants is. Which of them lets the program go on, a run
of it tells.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.engine import Diagnosis
from whydied.diagnose.errors.misfit import misfit
from whydied.diagnose.finding import Candidate
from whydied.prove.ideas import Idea, idea_of
from whydied.records import SessionFacts
from whydied.source.edits.edit import Change, over
from whydied.source.shared_constants import OtherNumber, other_numbers
from whydied.source.trees import located

MOST = 4


def of_constants(case: Case, diagnosis: Diagnosis) -> list[Idea]:
    """Other numbers for the constants behind the sizes of the cause, that which was expected first."""
    cause = diagnosis.cause
    if cause is None:
        return []
    found = [
        idea
        for size, wanted in _sizes(case)
        for file, source in case.project.items()
        for other in other_numbers(source.tree, size, wanted)
        if (idea := _idea(case, diagnosis, file, other)) is not None
    ]
    return found[:MOST]


def _sizes(case: Case) -> Iterator[tuple[int, int]]:
    """Pairs of a size and the one that it met: what was declared, then what came."""
    pairs = [(came, wanted) for came, wanted in _differing(case) if came and wanted]
    yield from dict.fromkeys((wanted, came) for came, wanted in pairs)
    yield from dict.fromkeys(pairs)


def _differing(case: Case) -> Iterator[tuple[int | None, int | None]]:
    found = misfit(case)
    for _, _, one, other in found.axes if found is not None else ():
        yield other, one
    for facts in case.principal.all(SessionFacts) if case.principal is not None else ():
        for fed in facts.feeds:
            came, wanted = fed.value.shape or [], fed.node.shape or [] if fed.node is not None else []
            if len(came) == len(wanted):
                yield from (pair for pair in zip(came, wanted, strict=True) if None not in pair and pair[0] != pair[1])


def _idea(case: Case, diagnosis: Diagnosis, file: str, other: OtherNumber) -> Idea | None:
    cause, source = diagnosis.cause, case.project[file]
    if cause is None:
        return None
    place = located(case.project, file, other.node.lineno)
    sized = f"`{other.text}` comes of `{other.name}`, which" if other.text != other.name else f"`{other.name}`"
    words = f"{sized} is {other.was} here: {cause.message.removeprefix(prefix(cause.location))}"
    title = f"Write `{other.name} = {other.now}` instead of {other.was}"
    finding = msgspec.structs.replace(cause, location=place, message=f"{prefix(place)}{words}", changes=msgspec.UNSET)
    change = Change(title=title, kind="constant", edits=[over(source, file, other.node, str(other.now))])
    return idea_of(case, Candidate(finding=finding, change=change), guessed=True)
