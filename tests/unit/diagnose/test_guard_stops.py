"""A program that the memory guard stopped is told as such; one that caught that error and failed otherwise is not."""

from __future__ import annotations

from tests.unit.diagnose.case_of import case_of, raised, recording_of
from whydied.diagnose.engine import diagnose
from whydied.diagnose.memory.guard_stops import stopped_by_guard
from whydied.diagnose.notes import notes_of
from whydied.records import FitResumed, Frame, MemoryGuarded, MemoryWarned

MIB = 1 << 20
STOP = MemoryWarned(number=0, how="guard", rss_bytes=920 * MIB, limit_bytes=1000 * MIB, saved="/runs/r/guard/model")
SAID = "whydied's memory guard stopped the program"


def test_the_stop_is_the_death() -> None:
    found = diagnose(recording_of(process=[MemoryGuarded(), STOP, raised("MemoryError", SAID)], exit_code=1))
    assert found.outcome == "stopped"
    assert found.death is not None
    assert found.death.code == "MEM002"
    assert "the memory guard stopped the program with 80.0 MiB of memory left" in found.death.message
    assert found.notes == ["the weights of the model in training were saved to /runs/r/guard/model"]


def test_what_the_kernel_refused_under_the_guard_says_so() -> None:
    error = raised("MemoryError")
    found = diagnose(recording_of(process=[MemoryGuarded(), error], exit_code=1))
    assert found.outcome == "failed"
    assert found.death is not None
    assert "was refused by the memory guard" in found.death.message


def test_a_stop_that_the_program_caught_is_not_the_end() -> None:
    for error in (raised("ValueError", "other"), raised("MemoryError"), raised("_ArrayMemoryError", "Unable to …")):
        assert stopped_by_guard(case_of(process=[STOP, error], exit_code=1)) is None


def test_the_stop_of_a_cell_is_not_the_programs() -> None:
    cell = MemoryWarned(number=3, how="guard", rss_bytes=1, limit_bytes=2)
    assert stopped_by_guard(case_of(process=[cell, raised("MemoryError", SAID)], exit_code=1)) is None


def test_trainings_that_went_on_are_noted() -> None:
    frames = [Frame(file="/home/ann/train.py", line=7, function="main", user=True)]
    fits = [
        FitResumed(epoch=3, epochs=3, frames=frames),
        FitResumed(epoch=1, epochs=4, frames=frames),
        FitResumed(epoch=0, epochs=4, frames=frames, reason="the data are not those of before"),
    ]
    assert notes_of(case_of(process=fits, exit_code=0)) == [
        "not done again, because it was done before: 1 call of `fit`",
        "`fit` at line 7 went on at epoch 2 of 4",
        "`fit` at line 7 began anew: the data are not those of before",
    ]
