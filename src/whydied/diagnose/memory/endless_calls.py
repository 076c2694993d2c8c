"""Calls that were running at the end, and were given data that never end. Pure."""

from __future__ import annotations

from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Location
from whydied.records import CallBegan
from whydied.source.training.endless_sources import Endless, endless_argument

GIVEN = {
    "fit": (("x", "steps_per_epoch"), ("validation_data", "validation_steps")),
    "evaluate": (("x", "steps"),),
    "predict": (("x", "steps"),),
}
"""The arguments that data come in, each with the one that says how many steps to take."""


class EndlessCall(NamedTuple):
    """`word` is the argument that would have told it how many steps to take; `validates` is whether the data are those
    that `fit` validates with."""

    call: CallBegan
    place: Location
    word: str
    data: Endless
    validates: bool


def endless_call(case: Case) -> EndlessCall | None:
    for call in reversed(case.records.open_calls):
        for argument, word in GIVEN.get(call.kind, ()) if call.frames else ():
            place = case.locate(call.frames[-1])
            data = endless_argument(case.sources, place, call.kind, argument)
            if data is not None and call.arguments.get(word) is None:
                return EndlessCall(call, place, word, data, argument == "validation_data")
    return None
