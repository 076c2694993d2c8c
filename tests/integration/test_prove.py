"""`whydied prove` on real programs in the real sandbox: what helps is proved, what does not is refuted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests import session

from whydied.places import list_runs
from whydied.prove.prover import FAILED_QUICKLY
from whydied.prove.sandbox import mechanism

NEAR_NAME = """
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--rate", type=float, default=0.1)
options = parser.parse_args()
with open("out.txt", "w") as file:
    file.write("from a trial")
print(options.ratee)
"""
ONCE = """
from pathlib import Path

first = not Path("mark").exists()
Path("mark").touch()
values = {"rate": 1}
print(values["ratee"] if first else values["rate"])
"""
SLOW = """
import time

kept = {"rate": 1}
time.sleep(1)
print(kept["ratee"])
"""
OTHER_CAUSE = """
values = {"rate": 0}
chosen = values["ratee"] if "ratee" in values else values["rate"]
print(1 / chosen)
"""

UNDER = """
import sys
from whydied.cli import main
from whydied.prove.sandbox import mechanism
from whydied.report import proving

proving.mechanism = lambda allow_network: mechanism(allow_network=allow_network, among=("{name}",))
sys.exit(main(sys.argv[1:]))
"""
SEVERAL = """
import json

settings = {"epochs": 3, "batch": 8}
print(settings["epoch"])
print(json.dumpss(settings))
"""
MANY_GUESSES = """
import pathlib

import sizes

rows = [[number] * 3 for number in range(sizes.COUNT)]
pathlib.Path("out.txt").write_text("from a trial")
total = 0
for number in range(len(rows) + 1):
    total += rows[number][0]
print(total)
"""

Whydied = Callable[..., "subprocess.CompletedProcess[bytes]"]
pytestmark = pytest.mark.skipif(mechanism() is None, reason="no sandbox can be had here")


def failed(tmp_path: Path, runs: Path, text: str) -> None:
    (tmp_path / "train.py").write_text(text)
    argv = session.whydied_run(runs, "--quiet", "train.py")
    assert subprocess.run(argv, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True).returncode == 1


def shown(whydied: Whydied) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(whydied("show", "--json").stdout)
    return found


def test_what_helps_is_proved_and_no_file_of_the_users_changes(tmp_path: Path, runs: Path, whydied: Whydied) -> None:
    failed(tmp_path, runs, NEAR_NAME)
    (tmp_path / "out.txt").write_text("of the first run")
    done = whydied("prove")
    assert done.returncode == 0, done.stderr
    assert b"proved: Write `rate` instead of `ratee`" in done.stderr
    assert (tmp_path / "out.txt").read_text() == "of the first run"
    assert (tmp_path / "train.py").read_text() == NEAR_NAME
    report = shown(whydied)
    assert (report["cause"]["certainty"], report["fixes"][0]["verdict"]) == ("certain", "proved")
    assert report["fixes"][0]["after"]["outcome"] == "finished"
    assert "AttributeError" in report["fixes"][0]["before"]["words"]


def test_a_program_that_does_not_fail_again_is_not_reproduced(tmp_path: Path, runs: Path, whydied: Whydied) -> None:
    failed(tmp_path, runs, ONCE)
    done = whydied("prove")
    assert done.returncode == 1
    assert b"not reproduced" in done.stderr
    assert all(fix["verdict"] == "untested" for fix in shown(whydied)["fixes"])


def test_nothing_is_called_proved_that_does_not_help(tmp_path: Path, runs: Path, whydied: Whydied) -> None:
    failed(tmp_path, runs, OTHER_CAUSE)
    done = whydied("prove", "--tries", "4")
    assert b"it fails again" in done.stderr
    tried = json.loads(list_runs(runs)[0].proof.read_bytes())["tried"]
    ran = [one for one in tried if one["words"]]
    assert ran
    for one in ran:
        assert (one["verdict"] == "proved") == (one["after"]["outcome"] == "finished"), one


def test_trials_right_after_the_death_replace_the_json(tmp_path: Path, runs: Path, whydied: Whydied) -> None:
    (tmp_path / "train.py").write_text(NEAR_NAME)
    argv = session.whydied_run(runs, "--prove", "--json", "r.json", "train.py")
    done = subprocess.run(argv, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
    assert done.returncode == 1
    assert json.loads((tmp_path / "r.json").read_bytes())["fixes"][0]["verdict"] == "proved"


def test_an_interrupt_keeps_what_is_known_and_leaves_nothing_behind(tmp_path: Path, runs: Path) -> None:
    failed(tmp_path, runs, SLOW)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "whydied", "prove", "--runs", str(runs)],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(scratch)},
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    assert b"running the program again" in process.stderr.readline()
    assert b"it fails again" in process.stderr.readline()
    # A change is being tried now.
    session.wait_until(lambda: psutil.Process(process.pid).children(recursive=True), "the next trial")
    inside = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGINT)
    assert process.wait(session.PATIENCE_S) == 130
    process.stderr.close()
    session.wait_until(lambda: not any(one.is_running() for one in inside), "the end of all that it started")
    assert not list(scratch.iterdir())
    (run,) = list_runs(runs)
    assert json.loads(run.proof.read_bytes())["reproduced"] is True


def test_one_failure_after_the_other_is_mended(tmp_path: Path, runs: Path, whydied: Whydied) -> None:
    failed(tmp_path, runs, SEVERAL)
    done = whydied("prove")
    assert done.returncode == 0, done.stderr
    assert b"and then fails of something else" in done.stderr
    (best, *_) = shown(whydied)["fixes"]
    assert (best["verdict"], best["kind"], best["after"]["outcome"]) == ("proved", "several", "finished")
    subprocess.run(["git", "apply", "-p1", "-"], cwd=tmp_path, input=best["patch"].encode(), check=True)
    assert subprocess.run([sys.executable, "train.py"], cwd=tmp_path, capture_output=True).returncode == 0


@pytest.mark.parametrize("name", ["namespaces", "landlock"])
def test_many_guesses_are_run_for_a_moment_before_one_is_tried(
    tmp_path: Path, runs: Path, whydied: Whydied, name: Any
) -> None:
    if mechanism(among=(name,)) is None:
        pytest.skip(f"no {name} here")
    (tmp_path / "sizes.py").write_text("COUNT = 6\n")
    failed(tmp_path, runs, MANY_GUESSES)
    (tmp_path / "out.txt").write_text("of the first run")
    prove = [sys.executable, "-c", UNDER.format(name=name), "prove", "--runs", str(runs)]
    done = subprocess.run(prove, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    tried = json.loads(list_runs(runs)[0].proof.read_bytes())["tried"]
    assert sum(one["words"] == FAILED_QUICKLY for one in tried) >= 5
    assert [one["title"] for one in tried if one["verdict"] == "proved"] == [
        "Write `len(rows)` instead of `len(rows) + 1`"
    ]
    assert (tmp_path / "out.txt").read_text() == "of the first run"


@pytest.mark.skipif(mechanism(among=("landlock",)) is None, reason="this kernel has no Landlock")
def test_a_copy_of_the_project_is_tried_where_namespaces_are_forbidden(
    tmp_path: Path, runs: Path, whydied: Whydied
) -> None:
    failed(tmp_path, runs, NEAR_NAME)
    argv = [sys.executable, "-c", UNDER.format(name="landlock"), "prove", "--runs", str(runs)]
    done = subprocess.run(argv, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    report = shown(whydied)
    assert report["fixes"][0]["verdict"] == "proved"
    assert report["cause"]["location"]["file"] == str(tmp_path / "train.py")


def test_a_notebook_is_tried_as_a_whole(tmp_path: Path, runs: Path, whydied: Whydied) -> None:
    sources = ["table = {'epoch': 3}", "print(table['epochs'])"]
    cells = [
        {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}
        for source in sources
    ]
    notebook = tmp_path / "study.ipynb"
    notebook.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}))
    before = notebook.read_bytes()
    argv = session.whydied_run(runs, "study.ipynb")
    assert subprocess.run(argv, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True).returncode == 1
    done = whydied("prove")
    assert done.returncode == 0, done.stderr
    assert notebook.read_bytes() == before
    (fix,) = [fix for fix in shown(whydied)["fixes"] if fix["verdict"] == "proved"]
    assert "study.ipynb" in fix["patch"]


def test_what_cannot_be_tried_is_one_sentence_and_a_hint(tmp_path: Path, runs: Path, whydied: Whydied) -> None:
    (tmp_path / "train.py").write_text("print('fine')\n")
    subprocess.run(session.whydied_run(runs, "--quiet", "train.py"), cwd=tmp_path, stdin=subprocess.DEVNULL)
    done = whydied("prove")
    assert done.returncode == 2
    assert done.stderr.startswith(b"whydied: nothing was found to be wrong with this run\nhint: ")
