"""`whydied run --heal` and `--memory-guard` on real programs."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from whydied.places import list_runs
from whydied.prove.sandbox import mechanism

Completed = subprocess.CompletedProcess[bytes]
Whydied = Callable[..., Completed]

MAIN = """
import multiprocessing
import sys

import part

if __name__ == "__main__":
    with open("runs.txt", "a") as file:
        file.write("run ")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(part.rate, [{"rate": 1}]), sys.argv[1:])
    values = {"units": 3}
    print(values["unts"])
"""
PART = """
def rate(settings):
    return settings["ratee"] if "ratee" in settings else settings["rate"]


def size(settings):
    return settings["sise"]
"""
TWO = """
import part

print(part.size({"size": 3}))
values = {"units": 4}
print(values["unts"])
"""
LEAK = """
import numpy as np

kept = []


def collect():
    while True:
        kept.append(np.ones(200_000))


collect()
"""
CAUGHT = """
import numpy as np

kept = []
try:
    while True:
        kept.append(np.ones(200_000))
except MemoryError as error:
    count = len(kept)
    kept.clear()
    print("caught", count > 10, "memory guard" in str(error))
"""
TRAINING = """
import numpy as np
import keras

kept = []
x = np.ones((64, 8), "float32")
model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])
model.compile("sgd", loss="mse")


class Keep(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        kept.append(np.ones((500, 1000)))


model.fit(x, x[:, :1], epochs=100000, batch_size=8, verbose=0, callbacks=[Keep()])
"""
heals = pytest.mark.skipif(mechanism() is None, reason="no sandbox can be had here")


@pytest.fixture
def program(tmp_path: Path, whydied: Whydied) -> Callable[..., tuple[Completed, dict[str, Any]]]:
    """Runs a program with options, and gives what came of it and its report."""

    def run(text: str, *options: str, words: tuple[str, ...] = ()) -> tuple[Completed, dict[str, Any]]:
        (tmp_path / "train.py").write_text(text)
        (tmp_path / "part.py").write_text(PART)
        done = whydied("run", "--no-trials", "--json", "report.json", *options, "train.py", *words, timeout_s=500)
        return done, json.loads((tmp_path / "report.json").read_text())

    return run


@heals
def test_the_program_runs_again_with_the_change_and_no_file_of_the_users_changes(
    tmp_path: Path, runs: Path, program: Any
) -> None:
    done, report = program(MAIN, "--heal", words=("--rate", "3"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode().splitlines() == [*["[1] ['--rate', '3']"] * 2, "3"]
    assert (tmp_path / "runs.txt").read_text() == "run run "
    assert (tmp_path / "train.py").read_text() == MAIN
    assert b"starting it again (restart 1 of at most 2)\n  This " in done.stderr
    first, second = list_runs(runs)
    assert report["run"]["id"] == second.id
    assert report["run"]["labels"]["healed_from"] == first.id
    assert report["outcome"] == "finished"
    assert any("with this change: Write" in note for note in report["notes"])
    assert '+    print(values["units"])' in (second.path / "healed.patch").read_text()
    # What the healed run recorded is the edited source, and the user's own is what the next run reads.
    assert any(b'["units"]' in copy.read_bytes() for copy in second.sources.iterdir())
    assert subprocess.run([sys.executable, "train.py"], cwd=tmp_path, capture_output=True).returncode == 1


@heals
def test_a_module_and_the_script_are_changed_at_once(tmp_path: Path, runs: Path, program: Any) -> None:
    """The trials go on from the first failure to the second: one restart mends both."""
    done, _ = program(TWO, "--heal")
    assert (done.returncode, done.stdout) == (0, b"3\n4\n"), done.stderr
    assert len(list_runs(runs)) == 2
    patch = (list_runs(runs)[-1].path / "healed.patch").read_text()
    assert (patch.count("+++ b/part.py"), patch.count("+++ b/train.py")) == (1, 1)
    assert (tmp_path / "part.py").read_text() == PART


@heals
def test_what_cannot_be_healed_ends_as_it_would(runs: Path, program: Any) -> None:
    done, report = program("import sys\nsys.exit(3)\n", "--heal")
    assert done.returncode == 3
    assert b"not healed: " in done.stderr
    assert (len(list_runs(runs)), report["run"]["exit_code"]) == (1, 3)


@heals
def test_a_change_that_costs_more_than_allowed_is_not_made(runs: Path, program: Any) -> None:
    done, report = program('values = {"units": 3}\nprint(values["unts"])\n', "--heal=1", "--heal-harm", "exact")
    assert done.returncode == 1
    assert b"not healed: the change that helps is not among those that --heal-harm exact allows" in done.stderr
    assert report["fixes"][0]["verdict"] == "proved"


def test_a_notebook_is_refused_before_it_starts(tmp_path: Path, whydied: Whydied) -> None:
    (tmp_path / "a.ipynb").write_text("{}")
    done = whydied("run", "--heal", "a.ipynb")
    assert done.returncode == 125
    assert b"--heal cannot restart a notebook" in done.stderr


@heals
@pytest.mark.tensorflow
@pytest.mark.cgroup
def test_a_training_goes_on_in_the_epoch_that_it_died_in(tmp_path: Path, project: Path, program: Any) -> None:
    text = (project / "examples" / "late_oom.py").read_text()
    done, report = program(text, "--heal", "--memory-limit", "1300M")
    assert done.returncode == 0, done.stderr
    assert b"The training goes on at epoch 2 of 4." in done.stderr
    assert done.stdout.splitlines()[-1] == b"epochs: 1 2 3 4"
    assert any("went on at epoch 2 of 4" in note for note in report["notes"])
    assert report["internal_errors"] == []
    assert not list((tmp_path / "runs").glob("*/backup"))


def test_the_guard_stops_a_leak_with_a_traceback_and_its_holder(program: Any) -> None:
    done, report = program(LEAK, "--memory-guard", "--memory-limit", "400M")
    assert done.returncode == 1
    assert b"in collect\n" in done.stderr
    assert b"\nMemoryError: whydied's memory guard stopped the program with " in done.stderr
    assert (report["outcome"], report["death"]["code"], report["cause"]["culprit"]["name"]) == (
        "stopped",
        "MEM002",
        "kept",
    )
    assert report["internal_errors"] == []


def test_a_program_may_catch_the_guards_error(program: Any) -> None:
    done, report = program(CAUGHT, "--memory-guard", "--memory-limit", "400M")
    assert (done.returncode, done.stdout) == (0, b"caught True True\n")
    assert (report["outcome"], report["internal_errors"]) == ("finished", [])


@pytest.mark.tensorflow
def test_the_guard_saves_the_weights_of_a_training(runs: Path, program: Any) -> None:
    done, report = program(TRAINING, "--memory-guard", "--memory-limit", "1000M")
    saved = list_runs(runs)[-1].path / "guard" / "model.weights.h5"
    assert done.returncode == 1
    assert saved.exists()
    assert str(saved).encode() in done.stderr
    assert (report["outcome"], report["cause"]["culprit"]["name"]) == ("stopped", "kept")
    assert any(str(saved) in note for note in report["notes"])
