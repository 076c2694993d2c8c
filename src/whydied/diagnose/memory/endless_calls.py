"""Calls that were running at the end, and were given data that never end. Pure."""

from __future__ import annotations

from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Location
from whydied.records import CallBegan
from whydied.source.training.endless_sources import Endless, endless_argument

STEPS = {"fit": "steps_per_epoch", "evaluate": "steps", "predict": "steps"}


class EndlessCall(NamedTuple):
    """`word` is the argument that would have told it how many steps to take."""

    call: CallBegan
    place: Location
    word: str
    data: Endless


def endless_call(case: Case) -> EndlessCall | None:
    for call in reversed(case.records.open_calls):
        word = STEPS.get(call.kind)
        if word is None or call.arguments.get(word) is not None or not call.frames:
            continue
        place = case.locate(call.frames[-1])
        data = endless_argument(case.sources, place, call.kind)
        return EndlessCall(call, place, word, data) if data is not None else None
    return None
