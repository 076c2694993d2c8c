from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import PID, line, raised, recording_of
from whydied.pytest_plugin import failure_reports
from whydied.read.recording import Recording
from whydied.records import ExceptionRaised, NormsSeen, Record


def norms(function: str) -> NormsSeen:
    return NormsSeen(function=function, names=[], steps=[], norms=[], moment="end")


def test_only_the_test_itself_is_looked_at() -> None:
    """Records stand at 1.1 s, 1.2 s …; the second test runs from 1.35 s to 1.65 s."""
    records: list[Record] = [
        norms("earlier"),
        raised("ValueError", where="test"),
        line(3),
        norms("own"),
        raised("KeyError", "'x'", where="test"),
        norms("later"),
    ]
    recording = recording_of(process=records, unfinished=True)
    ended = failure_reports._as_if_ended(recording, PID, int(1.35e9), int(1.55e9))
    assert ended is not None
    process = ended.processes[0]
    assert [one.function for one in process.all(NormsSeen)] == ["own"]
    assert [(one.where, one.chain[0].type) for one in process.all(ExceptionRaised)] == [("main", "KeyError")]
    assert process.uncaught is not None
    assert ended.ended is not None
    assert ended.ended.exit_code == 1


def test_a_test_of_which_nothing_was_recorded_is_not_explained() -> None:
    recording = recording_of(process=[raised("KeyError", where="test")], unfinished=True)
    assert failure_reports._as_if_ended(recording, PID, int(5e9), int(6e9)) is None


def test_a_failure_that_explains_itself_is_not_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    recording = recording_of(process=[raised("AssertionError", "assert 1 == 2", where="test")], unfinished=True)
    monkeypatch.setattr(failure_reports, "load", lambda _: recording)

    def as_it_is(given: Recording, *, quiet: bool) -> Recording:
        return given

    monkeypatch.setattr(failure_reports, "replayed", as_it_is)
    assert failure_reports.of_failure("/nowhere/r", PID, 0, int(9e9)) is None
