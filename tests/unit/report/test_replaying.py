"""A captured step is run again before the report is made."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from tests.handmade import recorded_run
from tests.unit.diagnose.bad_steps import again, captured, fed, given, numbers, rows, weight
from whydied.places import RunDirectory
from whydied.read.recording import load
from whydied.records import ProcessBegan, Record, Suspect
from whydied.report.finish import finish
from whydied.stream import Stream

FIRST, SECOND = "numerics/4242-0", "numerics/4242-1"


def run_with(tmp_path: Path, *records: Record, python: str) -> RunDirectory:
    """A run whose program left captured steps, and a Python to run them again with."""
    directory = recorded_run(tmp_path / "runs")
    program = load(directory).program
    assert program is not None
    stream = Stream(directory.streams, f"process-{program.pid}-1", segment_bytes=4096)
    stream.write(ProcessBegan(pid=program.pid, ppid=1, start="exec", executable=python))
    for record in records:
        stream.write(record)
    for name in (FIRST, SECOND):
        (directory.path / name).mkdir(parents=True)
        (directory.path / name / "step.json").write_bytes(msgspec.json.encode(given(fed(), weight())))
    return directory


@pytest.fixture
def python(tmp_path: Path) -> str:
    """A Python that finds something, and counts how often it was asked."""
    found = tmp_path / "found.json"
    found.write_bytes(msgspec.json.encode(again(rows(3))))
    path = tmp_path / "python"
    path.write_text(f'#!/bin/sh\necho "$5" >> {tmp_path}/asked\ncp {found} "$5/replay.json"\n')
    path.chmod(0o755)
    return str(path)


def asked(tmp_path: Path) -> list[str]:
    path = tmp_path / "asked"
    return [Path(line).name for line in path.read_text().split()] if path.exists() else []


def test_the_report_knows_what_the_replay_found(tmp_path: Path, python: str) -> None:
    directory = run_with(tmp_path, captured(directory=FIRST), captured(directory=SECOND), python=python)
    report = finish(directory)
    assert any(finding.name == "nonfinite-from-op" and finding.certainty == "certain" for finding in report.findings)
    assert asked(tmp_path) == ["4242-0"]
    finish(directory)
    assert asked(tmp_path) == ["4242-0"]


def test_a_step_whose_metric_alone_is_bad_comes_last(tmp_path: Path, python: str) -> None:
    metric = captured(Suspect(role="metric", name="f1", numbers=numbers(1)), directory=FIRST)
    finish(run_with(tmp_path, metric, captured(directory=SECOND), python=python))
    assert asked(tmp_path) == ["4242-1"]


def test_nothing_is_run_again_where_that_is_not_wanted(tmp_path: Path, python: str) -> None:
    report = finish(run_with(tmp_path, captured(directory=FIRST), python=python), replay=False)
    assert asked(tmp_path) == []
    assert [finding.name for finding in report.findings if finding.code.startswith("NUM")] == ["nonfinite-from-op"]


def test_a_python_that_is_gone_leaves_the_capture_alone(tmp_path: Path) -> None:
    report = finish(run_with(tmp_path, captured(directory=FIRST), python=str(tmp_path / "gone")))
    assert [finding.certainty for finding in report.findings if finding.code.startswith("NUM")] == ["possible"]
