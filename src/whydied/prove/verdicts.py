"""Whether a change removed a failure: two runs compared. Pure.

*proved*: the program finished, or went past the point at which it failed before, and what was wrong was not seen
again. *refuted*: the same again, or something else before that point, or a training that learns nothing any more.
*untested*: neither can be said.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Literal, NamedTuple, get_args

from whydied.prove.loss_courses import OTHER_STEPS, departure, stands_still
from whydied.prove.observed import TIME_LIMIT, Call, Observed, ran_cell
from whydied.source.edits.edit import Change, Harm

Word = Literal["proved", "refuted", "untested"]
STILL_GROWS = 0.2
"""A leak is gone where less than this part of its growth is left."""


class Verdict(NamedTuple):
    """`words` say why, in half a sentence. `goes_on` says that the program got past this failure to another one. `harm`
    is what the change turned out to cost where that is more than it was thought to, `losses` say by which step."""

    word: Word
    words: str
    goes_on: bool = False
    harm: Harm | None = None
    losses: str = ""


def fails_again(first: Observed, again: Observed) -> bool:
    """Whether a run without any change shows what the first run showed."""
    if again.is_well or (again.at_limit and again.code in ("", TIME_LIMIT) and first.code != TIME_LIMIT):
        return False
    if first.of_memory:
        return again.of_memory
    if first.stalled:
        return again.stalled or again.at_limit
    same_end = bool(first.raised) and first.raised == again.raised
    return first.code == again.code or same_end or (first.family == again.family == "NUM")


def judged(before: Observed, after: Observed, lines: Mapping[str, Mapping[int, int]]) -> Verdict:
    """`before` is the program as it is, `after` the changed one; `lines` are, by file, the lines of the changed source
    that the original has too, with their numbers there."""
    if before.family == "NUM" and after.runs_away:
        return Verdict("refuted", "its values stay finite, but its loss runs away")
    if stands_still(before.courses, after.courses):
        return Verdict("refuted", "nothing is learned any more: its loss stays what it was at the first step")
    if after.is_well:
        return Verdict("proved", "the program finishes")
    if after.at_limit and after.code in ("", TIME_LIMIT):
        return _at_limit(before, after)
    place = tuple(original_call(call, lines) for call in after.stack)
    if _same(before, after, place):
        return Verdict("refuted", f"it fails again: {after.said}")
    if before.raised and after.raised and is_later(before.stack, place):
        return Verdict("proved", f"it gets past this failure, and then fails of something else: {after.said}", True)
    return Verdict("refuted", f"it fails of something else: {after.said or after.outcome}")


def weighed(verdict: Verdict, change: Change, first: Observed, before: Observed, after: Observed | None) -> Verdict:
    """The verdict with what the change costs, by the losses. `first` and `before` are two runs without it; where they
    are one, what differs by chance is not known, and nothing is said."""
    if verdict.word != "proved" or after is None or first is before or change.kind in OTHER_STEPS:
        return verdict
    found = departure(first.courses, before.courses, after.courses)
    harms = get_args(Harm)
    if found is None or harms.index(found.harm) <= harms.index(change.harm):
        return verdict
    return verdict._replace(harm=found.harm, losses=found.words)


def _at_limit(before: Observed, after: Observed) -> Verdict:
    if before.stalled:
        return Verdict("refuted", "it still does not end")
    if before.grows and after.growth_bytes_s > STILL_GROWS * before.growth_bytes_s > 0:
        return Verdict("refuted", "its memory still grows")
    if any(after.steps.get(unit, 0) < count for unit, count in before.steps.items()):
        return Verdict("untested", "it did not come so far in the time that a trial may take")
    return Verdict("proved", "it runs on past the point at which it failed")


def _same(before: Observed, after: Observed, place: tuple[Call, ...]) -> bool:
    if before.of_memory or after.of_memory:
        return before.of_memory and after.of_memory
    if before.family == after.family == "NUM":
        return True
    if before.stalled and after.stalled:
        return True
    return bool(after.raised) and bool(place) and before.stack == place


def is_later(before: tuple[Call, ...], after: tuple[Call, ...]) -> bool:
    """Whether the second stack stands further on than the first, at the outermost frame that differs. Cells of a
    notebook come one after the other as they are numbered."""
    outermost = [ran_cell(calls[0].file) if calls else None for calls in (before, after)]
    if outermost[0] is not None and outermost[1] is not None and outermost[0] != outermost[1]:
        return outermost[0] < outermost[1]
    for was, now in zip(before, after, strict=False):
        if (was.file, was.function) != (now.file, now.function):
            return False
        if was.line != now.line:
            return now.line > was.line
    return False


def original_call(call: Call, lines: Mapping[str, Mapping[int, int]]) -> Call:
    """A call of the changed program by its line in the original; a line that only the change has is before all."""
    return call._replace(line=lines[call.file].get(call.line, 0)) if call.file in lines else call


def same_lines(before: list[str], after: list[str]) -> dict[int, int]:
    """Lines of the second text that the first has too, or that are written anew in their place: their numbers in the
    second and in the first, from 1."""
    found: dict[int, int] = {}
    for _, first, last, start, stop in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if last - first == stop - start:
            found |= {start + offset + 1: first + offset + 1 for offset in range(stop - start)}
    return found
