"""Programs that stand still, for real: the note while they live, how they are ended, and whom we ask for stacks."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests import child
from tests.session import records, started, terminal, wait_until, whydied_run

from whydied.places import RunDirectory, list_runs
from whydied.records import InternalError, ProgressResumed, ProgressStopped, StacksTaken
from whydied.run.observe import stacks

TWICE = """
import threading


class Ledger:
    def __init__(self):
        self._lock = threading.Lock()

    def total(self):
        with self._lock:
            return 0

    def add(self):
        with self._lock:
            return self.total()


print("begun", flush=True)
Ledger().add()
"""
needs_spy = pytest.mark.skipif(stacks.spy_path() is None, reason="py-spy is not installed")


def command(runs: Path, *words: str | Path) -> list[str]:
    """`whydied run` with notes, and without a report on the console."""
    return [word for word in whydied_run(runs, "--hang-after", "1s", *words) if word != "--quiet"]


def report_of(path: Path) -> dict[str, object]:
    return json.loads(path.read_text())


def named(report: dict[str, object], what: str) -> str:
    finding = report[what]
    assert isinstance(finding, dict)
    return str(finding["name"])


def plain(text: str) -> str:
    """A note without what differs from run to run."""
    text = re.sub(r"process \d+ \(\S+\)", "process N (python)", text)
    return re.sub(r"for \d+(\.\d+)? s", "for T s", text)


def test_the_note_and_the_report_of_a_deadlock_word_for_word(tmp_path: Path, runs: Path) -> None:
    path = child.write(tmp_path, TWICE, "ledger.py")
    done = subprocess.run(
        command(runs, "--stop-on-hang", "--json", tmp_path / "r.json", path),
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout == "begun\n"
    note = done.stderr[: done.stderr.index("ledger.py was stopped")]
    assert plain(note).splitlines() == [
        "whydied: no progress for T s: no output, no training step, hardly any CPU time.",
        "whydied: thread MainThread waits for a lock that it already holds",
        "  process N (python), 2 threads, stacks by its recorder:",
        "    MainThread",
        "      ledger.py:9 in total: with self._lock:",
        "      ledger.py:14 in add: return self.total()",
        "      ledger.py:18 in <module>: Ledger().add()",
        "whydied: terminating it (--stop-on-hang).",
    ]
    report = report_of(tmp_path / "r.json")
    assert report["outcome"] == "hung"
    assert named(report, "death") == "stopped-on-hang"
    findings = report["findings"]
    assert isinstance(findings, list)
    assert [plain(finding["message"]) for finding in findings][:2] == [
        "ledger.py:9: the main thread waits for the lock `self._lock`, which it already holds since line 13 of "
        "ledger.py",
        "ledger.py:9: the main thread waited for a lock (`self._lock`) for T s, until the run was stopped",
    ]
    assert report["internal_errors"] == []


def test_the_report_of_a_pool_whose_worker_was_killed_word_for_word(tmp_path: Path, runs: Path, project: Path) -> None:
    path = project / "tests" / "programs" / "workers" / "pool_worker_killed.py"
    subprocess.run(
        command(runs, "--quiet", "--stop-on-hang", "--json", tmp_path / "r.json", path),
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=False,
    )
    report = report_of(tmp_path / "r.json")
    findings = report["findings"]
    assert isinstance(findings, list)
    told = [re.sub(r"process \d+", "process N", plain(finding["message"])) for finding in findings]
    assert told[:3] == [
        "pool_worker_killed.py:10: the child process N killed itself: it sent SIGKILL with os.kill",
        "pool_worker_killed.py:10: the child process N of pool_worker_killed.py ended by SIGKILL",
        "pool_worker_killed.py:16: the main thread waited for a result from a pool of workers (`pool`) for T s, "
        "until the run was stopped",
    ]
    assert re.fullmatch(
        r"pool_worker_killed\.py:1[56]: pool_worker_killed\.py was terminated by whydied after \S+ s without progress "
        r"\(--stop-on-hang\)",
        told[3],
    )


def test_a_person_who_ends_it_with_a_key_learns_that_it_hung(tmp_path: Path, runs: Path) -> None:
    path = child.write(tmp_path, TWICE, "ledger.py")
    with terminal(command(runs, "--json", tmp_path / "r.json", path), tmp_path) as session:
        session.expect(b"the report will say that it hung")
        session.type(b"\x03")
        session.finish()
    report = report_of(tmp_path / "r.json")
    assert report["outcome"] == "hung"
    assert (named(report, "death"), named(report, "cause")) == ("interrupted", "deadlock")


def test_who_waits_for_a_key_does_not_hang(tmp_path: Path, runs: Path) -> None:
    path = child.write(tmp_path, "name = input('who? ')\nprint('hello', name)\n")
    with terminal(command(runs, path), tmp_path) as session:
        session.expect(b"who? ")
        wait_until(lambda: list_runs(runs) and records(runs, ProgressStopped), "a look at its stacks")
        session.type(b"ann\n")
        assert session.finish() == 0
    (looked,) = records(runs, ProgressStopped)
    assert isinstance(looked, ProgressStopped)
    assert not looked.hangs
    assert b"hello ann" in session.output
    assert b"no progress" not in session.output


def test_one_that_goes_on_is_said_to_and_keeps_its_output(tmp_path: Path, runs: Path) -> None:
    program = """
        import os
        import time

        print("waiting", flush=True)
        with open("gate") as gate:
            gate.read()
        while not os.path.exists("end"):
            print("working", flush=True)
            time.sleep(0.2)
        """
    path = child.write(tmp_path, program)
    os.mkfifo(tmp_path / "gate")
    with started(command(runs, "--json", tmp_path / "r.json", path), tmp_path) as process:
        wait_until(lambda: list_runs(runs) and records(runs, ProgressStopped), "a hang")
        (tmp_path / "gate").write_text("now")
        wait_until(lambda: records(runs, ProgressResumed), "progress")
        (tmp_path / "end").touch()
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert set(out.splitlines()) == {b"waiting", b"working"}
    assert b"whydied: no progress for" in err
    assert b"whydied: the program is making progress again, after" in err
    assert report_of(tmp_path / "r.json")["findings"] == []


def test_a_failure_of_ours_in_the_stuck_process_is_recorded(
    tmp_path: Path, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = child.write(tmp_path, TWICE, "ledger.py")
    monkeypatch.setenv("WHYDIED_INJECT", "thread_stacks.answer")
    subprocess.run(
        command(runs, "--quiet", "--timeout", "8s", path),
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=False,
    )
    errors = [error.where for error in records(runs, InternalError) if isinstance(error, InternalError)]
    assert errors == ["thread_stacks.answer"]


@needs_spy
def test_a_python_without_a_recorder_is_read_from_outside(tmp_path: Path, runs: Path) -> None:
    path = child.write(tmp_path, TWICE, "ledger.py")
    done = subprocess.run(
        command(runs, "--stop-on-hang", "--json", tmp_path / "r.json", "--", sys.executable, "-I", path),
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 128 + signal.SIGTERM
    assert "stacks by py-spy" in done.stderr
    report = report_of(tmp_path / "r.json")
    assert named(report, "cause") == "hung"
    cause = report["cause"]
    assert isinstance(cause, dict)
    assert cause["location"]["line"] == 9
    (taken,) = records(runs, StacksTaken)
    assert isinstance(taken, StacksTaken)
    assert taken.how == "py-spy"


def test_without_py_spy_the_reason_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stacks, "spy_path", lambda: None)
    taken, reason = stacks._spy(RunDirectory(Path("/nowhere")), 1, 1)
    assert taken is None
    assert "py-spy is not installed" in reason
