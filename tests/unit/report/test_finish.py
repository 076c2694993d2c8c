"""When a report is kept: only once the run is over, and only by the machine that can tell."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import handmade, session
from whydied.places import SUPERVISOR_STREAM, RunDirectory
from whydied.read.life import boot_id
from whydied.read.recording import load
from whydied.records import ProgramStarted, Record, RunStarted
from whydied.report import finish as finishing
from whydied.report.aftermath import look_around
from whydied.report.finish import compose, finish, stored_report
from whydied.stream import Stream


@pytest.fixture
def program() -> Iterator[subprocess.Popen[bytes]]:
    """A living program that no supervisor watches."""
    process = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"])
    yield process
    process.kill()
    process.wait()


def abandoned(runs: Path, pid: int, *more: Record, **fields: Any) -> RunDirectory:
    """The recording of a supervisor that is gone and left no word of the program's end."""
    directory = RunDirectory(runs / handmade.RUN_ID)
    directory.make()
    given: dict[str, Any] = {
        "run_id": handmade.RUN_ID,
        "argv": ["train.py"],
        "cwd": str(runs),
        "wall_time_s": time.time(),
        "boot_id": boot_id(),
        "supervisor_pid": handmade.a_dead_pid(),
        "whydied_version": "0.1.0",
        "hostname": socket.gethostname(),
    }
    stream = Stream(directory.streams, SUPERVISOR_STREAM, segment_bytes=4096)
    for record in (RunStarted(**{**given, **fields}), ProgramStarted(pid=pid, argv=["train.py"]), *more):
        stream.write(record)
    return directory


def names(directory: RunDirectory) -> list[str]:
    return [finding.name for finding in finish(directory).findings]


def test_no_report_is_kept_while_the_program_lives(runs: Path, program: subprocess.Popen[bytes]) -> None:
    directory = abandoned(runs, program.pid)
    assert look_around(directory, load(directory)).program_alive
    assert "whole-group-died" not in names(directory)
    assert stored_report(directory) is None
    program.kill()
    session.wait_until(lambda: session.state_of(program.pid) == "Z", "the end of the program")
    assert "whole-group-died" in names(directory)
    assert stored_report(directory) is not None


def test_a_number_that_was_given_out_again_is_another_program(runs: Path, program: subprocess.Popen[bytes]) -> None:
    directory = abandoned(runs, program.pid, wall_time_s=time.time() - 3600)
    assert not look_around(directory, load(directory)).program_alive
    assert "whole-group-died" in names(directory)
    assert stored_report(directory) is not None


def test_no_report_is_kept_while_the_supervisor_lives(runs: Path) -> None:
    directory = abandoned(runs, handmade.a_dead_pid(), supervisor_pid=os.getpid())
    assert names(directory) == []
    assert stored_report(directory) is None


def test_another_machine_says_nothing_of_this_one_and_keeps_nothing(runs: Path) -> None:
    directory = abandoned(runs, handmade.a_dead_pid(), hostname="elsewhere", boot_id="another")
    found = look_around(directory, load(directory))
    assert (found.same_machine, found.kernel_lines, found.oom_kills) == (False, [], [])
    assert "machine-went-down" not in names(directory)
    assert stored_report(directory) is None


def test_a_restart_of_this_machine_is_told_and_kept(runs: Path) -> None:
    directory = abandoned(runs, handmade.a_dead_pid(), boot_id="another")
    assert "machine-went-down" in names(directory)
    assert stored_report(directory) is not None


def test_a_whole_recording_is_kept_wherever_it_is_read(runs: Path) -> None:
    """Its end is known; nothing of this machine matters to it."""
    directory = handmade.recorded_run(runs, hostname="elsewhere", boot_id="another")
    assert load(directory).complete
    assert finish(directory).run.exit_code == 3
    assert stored_report(directory) is not None


def test_a_table_that_cannot_be_made_does_not_take_the_diagnosis(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(case: object) -> None:
        raise ZeroDivisionError("ours")

    monkeypatch.setattr(finishing, "memory_facts", broken)
    report = compose(load(handmade.recorded_run(runs)))
    assert report.death is not None
    assert report.internal_errors == ["memory facts: ZeroDivisionError('ours')"]
