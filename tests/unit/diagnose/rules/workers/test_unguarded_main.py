"""PRC040: a script that begins workers at its top level, and a pool that replaces the workers that fail."""

from __future__ import annotations

from tests.unit.diagnose.case_of import FILE, PID, case_of
from whydied.diagnose.case import Case
from whydied.diagnose.crash.children import failed_child
from whydied.diagnose.engine import diagnose
from whydied.diagnose.rules.process.workers import unguarded_main
from whydied.records import ExceptionRaised, Frame, LineSampled, ProgramEnded, RaisedException, SignalSent
from whydied.source.text import Source

SCRIPT = "def work(n):\n    return n\n\nwith Pool(2) as pool:\n    found = pool.map(work, range(9))\nprint(found)\n"
LIBRARY = "/usr/lib/python3.11/multiprocessing"


def _failed(function: str = "_check_not_importing_main", line: int = 4) -> ExceptionRaised:
    frames = [
        Frame(file="<string>", line=1, function="<module>", user=True),
        Frame(file=f"{LIBRARY}/spawn.py", line=122, function="spawn_main"),
        Frame(file=FILE, line=line, function="<module>", user=True),
        Frame(file=f"{LIBRARY}/spawn.py", line=140, function=function),
    ]
    link = RaisedException(type="RuntimeError", module="builtins", message="no", frames=frames)
    return ExceptionRaised(where="main", chain=[link])


def _case(*failed: ExceptionRaised, waits: str = "/usr/lib/python3.11/threading.py") -> Case:
    seen = LineSampled(
        frames=[Frame(file=FILE, line=5, function="<module>", user=True)],
        innermost=Frame(file=waits, line=327, function="wait"),
    )
    case = case_of(
        SignalSent(signal=15, why="time limit"),
        process=[seen],
        others={PID + 1 + n: [one] for n, one in enumerate(failed)},
        ended=ProgramEnded(pid=PID, signal=15, wall_s=3.0),
        timeout_s=3.0,
    )
    case.recording.sources = {FILE: Source(SCRIPT)}
    return case


def test_workers_that_fail_one_after_another_are_the_cause_of_the_wait() -> None:
    case = _case(*[_failed()] * 3)
    child = failed_child(case)
    assert child is not None
    found = unguarded_main.check(child)
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (4, "certain")
    told = diagnose(case.recording)
    assert told.cause is not None
    assert told.cause.name == "unguarded-main"
    patch = told.fixes[0].patch or ""
    assert '+if __name__ == "__main__":\n+    with Pool(2) as pool:\n+        found = pool.map' in patch


def test_another_exception_of_workers_is_told_as_it_is() -> None:
    case = _case(*[_failed("reduce")] * 3)
    child = failed_child(case)
    assert child is not None
    assert unguarded_main.check(child) is None


def test_two_failures_and_a_program_that_works_are_no_reason() -> None:
    assert failed_child(_case(*[_failed()] * 2)) is None
    assert failed_child(_case(*[_failed()] * 3, waits=FILE)) is None
