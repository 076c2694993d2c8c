"""Censuses in programs that really run, grow and die."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from whydied.inside.sampling.memory_watch import MILESTONES
from whydied.read.reader import StreamRead, read_streams
from whydied.records import CensusTaken, InternalError, LineSampled, ProcessBegan, Record

Completed = subprocess.CompletedProcess[bytes]

GROWS = """
import numpy as np


class Trace:
    def __init__(self):
        self.activations = []

    def add(self):
        self.activations.append(np.ones(1 << 18))


trace = Trace()
while True:
    trace.add()
"""

TENSORS = """
import tensorflow as tf

outputs = []
while True:
    outputs.append(tf.ones([1024, 256]))
"""

REFUSED = """
import tensorflow as tf


def prepare():
    kept = [tf.random.normal([1024, 256]) for _ in range(64)]
    tf.fill([1_000_000, 1_000_000], 1.0)


prepare()
"""

DEVICES = """
import time
import tensorflow as tf

time.sleep(0.5)
tf.config.set_logical_device_configuration(
    tf.config.list_physical_devices("CPU")[0],
    [tf.config.LogicalDeviceConfiguration(), tf.config.LogicalDeviceConfiguration()],
)
for _ in range(20):
    kept = tf.ones([1024, 1024]) + 1.0
    time.sleep(0.05)
print(len(tf.config.list_logical_devices("CPU")))
"""

WAITS = """
import time

rows = [bytearray(1 << 20) for _ in range(64)]
print("ready", flush=True)
time.sleep(60)
"""

FAILS = """
import time

print(sum(range(10)))
time.sleep(1)
raise MemoryError("mine")
"""


def _needs_cgroup() -> None:
    from whydied.run.observe.limits import remove_group, wanted_limit

    limit = wanted_limit(1 << 30, f"probe-{os.getpid()}")
    if limit.made is None:
        pytest.skip("needs a writable memory control group")
    remove_group(limit.made)


def _streams(runs: Path) -> list[StreamRead]:
    (run,) = [path for path in runs.iterdir() if (path / "streams").is_dir()]
    return [stream for stream in read_streams(run / "streams") if stream.name.startswith("process")]


def _records(runs: Path) -> list[Record]:
    return [entry.record for stream in _streams(runs) for entry in stream.entries]


def _censuses(runs: Path) -> list[CensusTaken]:
    records = _records(runs)
    assert not [record for record in records if isinstance(record, InternalError)]
    return [record for record in records if isinstance(record, CensusTaken)]


def _script(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "program.py"
    path.write_text(text)
    return path


@pytest.mark.cgroup
def test_the_last_census_is_close_to_death(whydied: Callable[..., Completed], runs: Path, tmp_path: Path) -> None:
    _needs_cgroup()
    pytest.importorskip("numpy")
    done = whydied("run", "--memory-limit", "512M", _script(tmp_path, GROWS))
    assert done.returncode == 137
    censuses = _censuses(runs)
    assert {f"{mark:.0%}".replace("%", " % of the limit") for mark in MILESTONES[:4]} <= {c.trigger for c in censuses}
    last = censuses[-1]
    group = last.groups[0]
    assert (group.kind, group.dtype, group.shape) == ("array", "float64", [1 << 18])
    assert (group.holders[0].path, group.holders[0].reached) == ("self.activations", "trace.activations") or (
        group.holders[0].path == "self.activations"
    )
    assert group.holders[0].length == group.count or abs((group.holders[0].length or 0) - group.count) <= 2
    assert group.size_bytes > 0.75 * (512 << 20)
    assert group.size_bytes <= last.rss_bytes


def _allocator_counts(runs: Path) -> bool:
    lines = [record for record in _records(runs) if isinstance(record, LineSampled)]
    return any(line.allocator_bytes is not None for line in lines)


@pytest.mark.cgroup
@pytest.mark.tensorflow
def test_tensors_until_the_kernel_kills(whydied: Callable[..., Completed], runs: Path, tmp_path: Path) -> None:
    _needs_cgroup()
    done = whydied("run", "--memory-limit", "1G", _script(tmp_path, TENSORS))
    assert done.returncode == 137
    last = _censuses(runs)[-1]
    group = last.groups[0]
    assert (group.kind, group.dtype, group.shape) == ("tensor", "float32", [1024, 256])
    assert group.holders[0].path == "outputs"
    lines = [record for record in _records(runs) if isinstance(record, LineSampled)]
    assert max(line.allocator_bytes or 0 for line in lines) > 256 << 20
    assert max(line.rss_bytes or 0 for line in lines) > 512 << 20


@pytest.mark.variation
@pytest.mark.tensorflow
def test_a_refused_allocation_has_its_census(whydied: Callable[..., Completed], runs: Path, tmp_path: Path) -> None:
    done = whydied("run", _script(tmp_path, REFUSED))
    assert done.returncode == 1
    (taken,) = _censuses(runs)
    assert taken.trigger == "exception"
    group = next(group for group in taken.groups if group.kind == "tensor")
    assert (group.count, group.holders[0].path, group.holders[0].function) == (64, "kept", "prepare")


@pytest.mark.variation
@pytest.mark.tensorflow
def test_devices_can_be_configured_after_the_import(
    whydied: Callable[..., Completed], runs: Path, tmp_path: Path
) -> None:
    done = whydied("run", "--quiet", _script(tmp_path, DEVICES))
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    assert done.stdout.strip() == b"2"
    assert _allocator_counts(runs)


@pytest.mark.variation
@pytest.mark.tensorflow
def test_an_allocator_that_does_not_count_tells_nothing(
    whydied: Callable[..., Completed], runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TF_ENABLE_ONEDNN_OPTS", "0")
    assert whydied("run", "--quiet", _script(tmp_path, DEVICES)).returncode == 0
    assert not _allocator_counts(runs)


def test_a_census_can_be_asked_for(runs: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "whydied", "run", "--quiet", "--runs", runs, _script(tmp_path, WAITS)]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, cwd=tmp_path) as supervisor:
        try:
            assert supervisor.stdout is not None
            assert supervisor.stdout.readline() == b"ready\n"
            began = next(record for record in _records(runs) if isinstance(record, ProcessBegan))
            (run,) = runs.iterdir()
            (run / f"peek-{began.pid}").touch()
            deadline = time.monotonic() + 60
            while not (found := _censuses(runs)) and time.monotonic() < deadline:
                time.sleep(0.1)
        finally:
            supervisor.terminate()
    (taken,) = found
    assert taken.trigger == "peek"
    group = next(group for group in taken.groups if group.type == "bytearray")
    assert (group.count, group.holders[0].path) == (64, "rows")
    assert not (run / f"peek-{began.pid}").exists()


@pytest.mark.parametrize("place", ["memory_watch.tick", "census.take"])
def test_a_fault_of_the_watch_changes_nothing(
    whydied: Callable[..., Completed], runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setenv("WHYDIED_INJECT", place)
    done = whydied("run", "--quiet", _script(tmp_path, FAILS))
    assert done.returncode == 1
    assert done.stdout == b"45\n"
    assert done.stderr.rstrip().endswith(b"MemoryError: mine")
    errors = [record.where for record in _records(runs) if isinstance(record, InternalError)]
    assert errors == [place]


@pytest.mark.variation
@pytest.mark.tensorflow
def test_the_allocator_can_be_left_as_it_is(
    whydied: Callable[..., Completed], runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WHYDIED_ALLOCATOR", "0")
    assert whydied("run", "--quiet", _script(tmp_path, DEVICES)).returncode == 0
    assert not _allocator_counts(runs)
