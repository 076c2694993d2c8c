"""Where in the user's code a bad value was made, passed or chosen. Pure.

A line is told only where the recording or the source names it; nothing is told in place of a guess.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Link, Location
from whydied.diagnose.numerics.bad_steps import Step, Story, call_of
from whydied.diagnose.numerics.symptom import data_set_of
from whydied.records import Frame, NodeLine, NormsSeen
from whydied.source.calls import places_of
from whydied.source.training.optimizer_rates import rate_settings

_LOADING = frozenset({"load_weights", "load_model", "set_weights", "restore", "read", "load_checkpoint", "from_config"})
_ASSIGNING = frozenset({"assign", "assign_add", "assign_sub"})


def op_place(case: Case, step: Step, line: NodeLine | None) -> Location | None:
    """The user's line that made an op. An op of a layer that the user only built has the line that built it."""
    mine = [frame for frame in line.frames if frame.user] if line else []
    passing = passed_frame(step)
    if mine and (passing is None or not _same(mine[-1], passing)):
        return case.locate(mine[-1])
    if line is not None and line.layer_made is not None:
        return case.locate(line.layer_made)
    frame = mine[-1] if mine else passing
    return case.locate(frame) if frame else None


def passed_frame(step: Step) -> Frame | None:
    """The user's line that was running the step: the call into Keras, else the innermost line."""
    call = call_of(step)
    frames = call.frames if call is not None else step.captured.frames
    return next((frame for frame in reversed(frames) if frame.user), None)


def passed_place(case: Case, story: Story) -> Location | None:
    """The line that passed the data on: of an eager step that of the first op that took it, else the call."""
    step = story.step
    first = story.again.first if story.again else None
    if step.captured.kind != "traced" and call_of(step) is None and first is not None:
        return op_place(case, step, first.line)
    frame = passed_frame(step)
    return case.locate(frame) if frame else op_place(case, step, first.line if first else None)


def chain_of(case: Case, story: Story) -> list[Link]:
    """From the source to the symptom, as the replay tells it."""
    links = story.again.chain if story.again else []
    return [
        Link(kind=link.kind, words=_as_written(story, link.words), location=_link_place(case, story.step, link.line))
        for link in links
        if link.words
    ]


def _as_written(story: Story, words: str) -> str:
    """With the array of the rows called what the source calls it: `(row 124 of x)` is `(row 124 of readings)`."""
    name = story.blame.data_set if story.blame is not None else ""
    whole, _ = data_set_of(story)
    if not name or not whole:
        return words
    return re.sub(rf"(\(rows? [^()]* of ){re.escape(name)}\)", lambda match: f"{match[1]}{whole})", words)


def _link_place(case: Case, step: Step, line: NodeLine | None) -> Location | None:
    return op_place(case, step, line) if line is not None else None


def loading_place(case: Case) -> Location | None:
    """The last line that loads or sets weights; the last that assigns a variable where none does."""
    for names in (_LOADING - {"read", "from_config"}, _LOADING, _ASSIGNING):
        if found := places_of(case.sources, names):
            return found[-1]
    return None


class RatePlace(NamedTuple):
    """The line that chose a learning rate, and the rate as it is written there. `seen` says that the optimizer was seen
    to be made there; else the line was found in the source."""

    location: Location
    rate: str
    seen: bool


def optimizer_place(case: Case, norms: NormsSeen | None) -> RatePlace | None:
    """The line of a schedule that returns the rate of the step. Else the line that made the optimizer, where that was
    seen and does not name another rate. Else, where the rate is known, only a line with that rate; else the only line
    that makes an optimizer."""
    learning_rate = norms.learning_rate if norms is not None else None
    made = norms.optimizer_made if norms is not None else None
    found = rate_settings(case.sources)
    same = [
        one
        for one in found
        if one.value is not None and learning_rate is not None and math.isclose(one.value, learning_rate, rel_tol=1e-5)
    ]
    scheduled = [one for one in found if one.scheduled]
    asked = [one for one in scheduled if one in same]
    if not asked and all(one.value is None for one in scheduled):
        # What it returns in an epoch cannot be worked out here, and it decides the rate.
        asked = scheduled
    if len(asked) == 1:
        return RatePlace(asked[0].location, asked[0].text, False)
    if made is not None:
        place = case.locate(made)
        there = [one for one in found if (one.location.file, one.location.line) == (place.file, place.line)]
        others = [one for one in there if one.value is not None and one not in same]
        if learning_rate is None or not others:
            return RatePlace(place, there[0].text if there else "", True)
    chosen = same[-1] if same else found[0] if len(found) == 1 else None
    return RatePlace(chosen.location, chosen.text, False) if chosen else None


def update_place(case: Case, step: Step) -> Location | None:
    """The line that updates the weights where no optimizer is made by the program: the only `assign_sub`, else the line
    that was running."""
    found = places_of(case.sources, ("assign_sub",))
    if len(found) == 1:
        return found[0]
    frame = passed_frame(step)
    return case.locate(frame) if frame else None


def _same(one: Frame, other: Frame) -> bool:
    return (one.file, one.line) == (other.file, other.line)
