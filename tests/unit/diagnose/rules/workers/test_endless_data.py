"""PRC041: data that never end, and a call that was not told how many steps to take."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.diagnose.case_of import FILE, PID, case_of
from whydied.diagnose.case import Case
from whydied.diagnose.rules.process import endless_data
from whydied.records import CallBegan, EpochBegan, Frame, ProgramEnded, SignalSent, StepBegan
from whydied.source.text import Source

ENDLESS = "def rows():\n    while True:\n        yield x\n\nnet.fit(rows(), epochs=3)\n"
ENDS = "def rows():\n    for x in data:\n        yield x\n\nnet.fit(rows(), epochs=3)\n"


def _case(source: str = ENDLESS, epochs: int = 1, steps: int = 40, **given: Any) -> Case:
    call = CallBegan(
        call=1,
        kind="fit",
        model="net",
        frames=[Frame(file=FILE, line=5, function="<module>", user=True)],
        arguments={"x": {"type": "generator"}, **given},
    )
    records = [call, *(EpochBegan(call=1, epoch=n) for n in range(epochs))]
    case = case_of(
        SignalSent(signal=15, why="time limit"),
        process=[*records, *(StepBegan(unit="train", count=n, call=1, step=n) for n in range(1, steps + 1))],
        ended=ProgramEnded(pid=PID, signal=15, wall_s=3.0),
        timeout_s=3.0,
    )
    case.recording.sources = {FILE: Source(source)}
    return case


def test_the_call_and_the_loop_are_named() -> None:
    found = endless_data.check(_case())
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (5, "likely")
    assert "`rows` yields in a loop that has no end (line 2 of train.py)" in found.message
    assert "step 40 of the first pass" in found.message
    assert "`steps_per_epoch=…`" in found.advice[0]


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(_case(ENDS), id="the data end"),
        pytest.param(_case(steps_per_epoch=12), id="it was told how many steps"),
        pytest.param(_case(epochs=2), id="an epoch ended"),
        pytest.param(_case(steps=0), id="no step began"),
    ],
)
def test_near_misses(case: Case) -> None:
    assert endless_data.check(case) is None


def _validating(unit: str, **given: Any) -> Case:
    source = ENDLESS.replace("net.fit(rows(), epochs=3)", "net.fit(x, y, validation_data=rows())")
    call = CallBegan(
        call=1,
        kind="fit",
        model="net",
        frames=[Frame(file=FILE, line=5, function="<module>", user=True)],
        arguments={"x": {"shape": [9, 2]}, "validation_data": {"type": "generator"}, **given},
    )
    steps = [StepBegan(unit="train", count=1, call=1, step=0), StepBegan(unit=unit, count=1, call=1, step=0)]
    case = case_of(
        SignalSent(signal=15, why="time limit"),
        process=[call, EpochBegan(call=1, epoch=0), *steps],
        ended=ProgramEnded(pid=PID, signal=15, wall_s=3.0),
        timeout_s=3.0,
    )
    case.recording.sources = {FILE: Source(source)}
    return case


def test_validation_without_end_is_told_while_it_goes_on() -> None:
    found = endless_data.check(_validating("test"))
    assert found is not None
    assert "the first validation, after 2 steps of training, was still going on" in found.message
    assert "`validation_steps=…`" in found.advice[0]
    assert endless_data.check(_validating("train")) is None
    assert endless_data.check(_validating("train", steps_per_epoch=2)) is not None
    assert endless_data.check(_validating("train", steps_per_epoch=3)) is None
    assert endless_data.check(_validating("test", validation_steps=4)) is None
