from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests import handmade
from whydied.diagnose.finding import Location
from whydied.report import delivery
from whydied.report.github_annotations import MOST, annotations_of
from whydied.report.summary import Report

COMMAND = re.compile(r"::(?P<kind>\w+)(?: (?P<properties>[^:]*))?::(?P<message>.*)")


def read(line: str) -> tuple[str, dict[str, str], str]:
    """A command as the runner takes it apart."""
    found = COMMAND.fullmatch(line)
    assert found, line
    pairs = (pair.partition("=") for pair in (found["properties"] or "").split(",") if pair)
    return found["kind"], {name: unquote(value) for name, _, value in pairs}, unquote(found["message"])


def died(file: str = "/repo/src/train.py", **fields: object) -> Report:
    place = Location(file=file, line=12, end_line=14)
    cause = handmade.finding(1, code="MEM005", name="kept", location=place, advice=["Keep numbers."], **fields)
    death = handmade.finding(2, because_of="F1")
    other = handmade.finding(3, code="MEM009", name="copies", message="`x` is there twice", location=place)
    return handmade.report(cause=cause, death=death, findings=[cause, death, other], cwd="/repo/src")


def test_the_cause_is_an_error_on_its_line() -> None:
    first, second = annotations_of(died(), "/repo")
    kind, properties, message = read(first)
    assert kind == "error"
    assert properties == {"title": "whydied MEM005 kept", "file": "src/train.py", "line": "12", "endLine": "14"}
    assert message.splitlines()[0] == "train.py was killed by the kernel: out of memory (SIGKILL) after 2 min 14 s."
    assert message.splitlines()[-1] == "Keep numbers."
    assert read(second)[::2] == ("warning", "`x` is there twice")


def test_without_a_workspace_files_are_told_from_where_the_program_ran() -> None:
    assert read(annotations_of(died())[0])[1]["file"] == "train.py"
    assert read(annotations_of(died("/elsewhere/a.py"), "/repo")[0])[1]["file"] == "/elsewhere/a.py"


def test_nothing_of_the_program_begins_another_command() -> None:
    evil = "100 % sure\n::set-output name=a::b\r\n::error::x"
    report = died(f"/repo/a,line=1::b\n::error::{'x'}.py", message=evil)
    lines = annotations_of(report, "/repo")
    assert all(len(line.splitlines()) == 1 for line in lines)
    kind, properties, message = read(lines[0])
    assert (kind, properties["line"]) == ("error", "12")
    assert properties["file"].startswith("a,line=1::b ")
    assert "100 % sure ::set-output name=a::b ::error::x" in message


def test_a_cell_has_no_line_of_a_file() -> None:
    cause = handmade.finding(1, location=Location(file="/tmp/x/cell [3]", line=2, cell=3))
    report = handmade.report(cause=cause, death=cause, findings=[cause])
    assert set(read(annotations_of(report)[0])[1]) == {"title"}


def test_a_healthy_run_has_none_and_one_that_cannot_be_told_has_one() -> None:
    assert annotations_of(handmade.healthy_report()) == []
    [line] = annotations_of(handmade.report(death=None, cause=None, findings=[], undetermined="no recorder"))
    assert read(line)[:2] == ("error", {"title": "whydied"})
    assert "no recorder" in line


def test_a_finished_run_with_a_cause_is_a_warning() -> None:
    cause = handmade.finding()
    [line] = annotations_of(handmade.report(outcome="finished", death=None, signal=None, exit_code=0, cause=cause))
    assert read(line)[0] == "warning"


def test_they_are_few() -> None:
    many = [handmade.finding(number) for number in range(2, 40)]
    report = handmade.report(findings=[handmade.finding(), *many])
    assert len(annotations_of(report)) == MOST


def test_the_summary_is_added_to_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    said: list[str] = []
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    delivery.to_github(died(), said.append)
    assert summary.read_text().startswith("before\n### train.py was killed")
    assert len(said) == 2


def test_the_commands_in_a_job(
    tmp_path: Path,
    runs: Path,
    whydied: Callable[..., subprocess.CompletedProcess[bytes]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    script = tmp_path / "program.py"
    script.write_text("import sys\nprint('out')\nraise ValueError('::error::no')\n")
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    plain = whydied("run", script)
    assert not summary.exists()
    ran = whydied("run", "--quiet", "--github", script)
    shown = whydied("show", "--format", "github")
    markdown = whydied("show", "--format", "markdown")
    assert b"::error title" not in plain.stderr
    assert (ran.returncode, ran.stdout) == (1, b"out\n")
    [told] = [line for line in ran.stderr.decode().splitlines() if line.startswith("::error title")]
    assert read(told)[1]["file"] == "program.py"
    assert read(told)[1]["line"] == "3"
    assert shown.stdout.decode().splitlines() == [told]
    assert summary.read_text() == (markdown.stdout.decode() + "\n") * 2
    refused = whydied("show", "--json", "--format", "markdown")
    assert refused.returncode == 2
    assert b"two formats" in refused.stderr
