"""A kernel that is shut down in the middle of a cell: what was wrong by then is the cause, the shutdown the end."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from tests import kernels, session

from whydied.places import list_runs
from whydied.read.recording import load
from whydied.report.finish import finish
from whydied.report.summary import Report

BAD_ROW = """\
import keras
import numpy as np

x = np.random.default_rng(1).normal(size=(64, 6)).astype("float32")
x[7, 2] = np.nan
model = keras.Sequential([keras.layers.Input((6,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")"""
TRAINS = """\
model.fit(x, np.ones((64, 1), "float32"), epochs=100_000, verbose=0)"""
GROWS = """\
while True:
    kept.append(np.ones((600, 1000)))
    time.sleep(0.03)"""
LOCKS = """\
import threading

lock = threading.Lock()


def take():
    with lock:
        return 1"""
DIES = """\
import multiprocessing
import os
import signal

context = multiprocessing.get_context("fork")
results = context.Queue()


def work():
    os.kill(os.getpid(), signal.SIGSEGV)"""
WAITS = """\
context.Process(target=work).start()
results.get()"""


def shut_down(runs: Path, cwd: Path, first: str, last: str, after_s: float) -> Report:
    with kernels.kernel(runs, cwd) as kernel:
        assert kernel.run(first).error is None
        kernel.client.execute(last)
        time.sleep(after_s)
        kernel.manager.shutdown_kernel(now=False)
    (run,) = list_runs(runs)
    session.wait_until(lambda: load(run).complete, "the end of the recording")
    return finish(run)


@pytest.mark.parametrize(
    ("first", "last", "after_s", "cause", "place"),
    [
        pytest.param(BAD_ROW, TRAINS, 15.0, "nonfinite-in-data", "cell [1]", marks=pytest.mark.tensorflow, id="NaN"),
        pytest.param(
            "import time\nimport numpy as np\nkept = []", GROWS, 20.0, "arrays-kept-in-container", "cell [2]", id="leak"
        ),
        pytest.param(
            LOCKS, "with lock:\n    take()", 9.0, "deadlock", "cell [1]", marks=pytest.mark.variation, id="stall"
        ),
        pytest.param(DIES, WAITS, 9.0, "segmentation-fault", "cell [1]", marks=pytest.mark.variation, id="dead worker"),
    ],
)
def test_what_was_wrong_is_the_cause(
    tmp_path: Path, runs: Path, first: str, last: str, after_s: float, cause: str, place: str
) -> None:
    report = shut_down(runs, tmp_path, first, last, after_s)
    assert report.cause is not None
    assert (report.cause.name, report.internal_errors) == (cause, [])
    assert report.cause.location is not None
    assert report.cause.location.file.endswith(place)
    assert report.death is not None
    assert report.death.name in ("interrupted", "terminated")
    assert report.outcome in ("stopped", "hung")


def test_a_healthy_cell_that_is_shut_down_is_told_in_a_line(tmp_path: Path, runs: Path) -> None:
    report = shut_down(runs, tmp_path, "import time", "while True:\n    time.sleep(0.1)", 7.0)
    assert [finding.name for finding in report.findings] == ["interrupted"]
    assert report.outcome == "stopped"
