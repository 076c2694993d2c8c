"""`whydied diff` on real runs: what differs, and which line made the second fail."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests import session

from whydied.prove.sandbox import mechanism

PROGRAM = """
import sys

WIDTH = 3
RATE = 0.1


def pick(names, place):
    return names[place]


print(RATE, pick(["a", "b"], WIDTH - 2))
"""
Whydied = Callable[..., "subprocess.CompletedProcess[bytes]"]


def run(tmp_path: Path, runs: Path, text: str, *options: str) -> int:
    (tmp_path / "train.py").write_text(text)
    argv = session.whydied_run(runs, "--quiet", *options, "train.py")
    return subprocess.run(argv, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True).returncode


def test_the_newest_failure_is_compared_with_the_last_good_run(tmp_path: Path, runs: Path, whydied: Whydied) -> None:
    assert run(tmp_path, runs, PROGRAM) == 0
    assert run(tmp_path, runs, PROGRAM.replace("WIDTH = 3", "WIDTH = 5").replace("0.1", "0.2")) == 1
    done = whydied("diff", "--json")
    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)
    assert (found["good"]["outcome"], found["bad"]["outcome"]) == ("finished", "failed")
    code = {one["bad"]: one["because"] for one in found["differences"] if one["kind"] == "code"}
    assert list(code) == ["WIDTH = 5", "RATE = 0.2"]
    assert "`WIDTH`" in code["WIDTH = 5"]
    assert b"WIDTH = 3" in whydied("diff").stdout


@pytest.mark.skipif(mechanism() is None, reason="no sandbox can be had here")
def test_the_line_that_did_it_is_found_by_taking_lines_back(tmp_path: Path, runs: Path, whydied: Whydied) -> None:
    assert run(tmp_path, runs, PROGRAM, "--name", "monday") == 0
    changed = PROGRAM.replace("WIDTH = 3", "WIDTH = 5").replace("0.1", "0.2").replace("names[place]", "names[+place]")
    assert run(tmp_path, runs, changed, "--name", "tuesday") == 1
    done = whydied("diff", "monday", "tuesday", "--prove", "--json")
    found = json.loads(done.stdout)
    verdicts = {one["bad"]: one["verdict"] for one in found["differences"] if one["kind"] == "code"}
    assert verdicts == {"WIDTH = 5": "proved", "RATE = 0.2": "refuted", "return names[+place]": "refuted"}
    assert found["differences"][found["accounts"]]["bad"] == "WIDTH = 5"
    assert (tmp_path / "train.py").read_text() == changed


@pytest.mark.skipif(mechanism() is None, reason="no sandbox can be had here")
def test_what_is_not_in_the_code_is_not_blamed_on_it(tmp_path: Path, runs: Path, whydied: Whydied) -> None:
    reads = 'import pathlib\nRATE = 0.1\nprint(RATE, ["a", "b"][int(pathlib.Path("place").read_text())])\n'
    (tmp_path / "place").write_text("1")
    assert run(tmp_path, runs, reads) == 0
    (tmp_path / "place").write_text("2")
    assert run(tmp_path, runs, reads.replace("0.1", "0.2")) == 1
    found = json.loads(whydied("diff", "--prove", "--json").stdout)
    assert "data, versions or the machine" in found["remark"]
    assert all(one["verdict"] == "untested" for one in found["differences"])


def test_without_a_good_run_there_is_one_sentence_and_a_hint(tmp_path: Path, runs: Path, whydied: Whydied) -> None:
    assert run(tmp_path, runs, "raise SystemExit(1)\n") == 1
    done = whydied("diff")
    assert done.returncode == 2
    assert done.stderr.startswith(b"whydied: no earlier run of train.py was fine\nhint: ")
