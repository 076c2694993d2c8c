"""What is around a program while it runs: other processes in its control group, and GPUs. Real processes, real kills;
the GPU is a stand-in below the real binding."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests import session, stand_in
from tests.stand_in import GIB, Driver, device

from whydied.linux import cgroup
from whydied.records import GpuFound, GpuSampled, NeighboursSampled

LIMIT_BYTES = 600 << 20
# The kernel takes the largest: the program offers itself, so that the guilty one survives.
VICTIM = """
import os, pathlib, sys, time
pathlib.Path("/proc/self/oom_score_adj").write_text("1000")
pathlib.Path(sys.argv[1]).write_text(str(os.getpid()))
kept = []
for _ in range(600):
    kept.append(bytearray(int(sys.argv[2])))
    time.sleep(0.05)
"""
# Takes so much memory at once, and grows further while a process lives.
NEIGHBOUR = """
import os, sys, time
kept = [bytearray(int(sys.argv[1]))]
print("ready", flush=True)
pid = sys.stdin.readline().strip()
while pid and os.path.exists(f"/proc/{pid}") and open(f"/proc/{pid}/stat").read().rsplit(")")[-1].split()[0] != "Z":
    kept.append(bytearray(10 << 20))
    time.sleep(0.05)
sys.stdin.read()
"""


@pytest.fixture
def group() -> Iterator[Callable[..., list[str]]]:
    """A control group with a limit; gives the beginning of a command line that runs in it."""
    own = cgroup.own_group()
    if own is None or own.version != 1 or not os.access(own.path, os.W_OK):
        pytest.skip("no memory control group of version 1 can be made here")
    path = Path(own.path) / f"shared-by-test-{os.getpid()}"
    path.mkdir()
    try:
        (path / "memory.limit_in_bytes").write_text(str(LIMIT_BYTES))
        yield lambda *words: ["sh", "-c", f'echo $$ > {path}/cgroup.procs && exec "$@"', "sh", *map(str, words)]
    finally:
        session.wait_until(lambda: not (path / "cgroup.procs").read_text().split(), "the group to be empty")
        path.rmdir()


@pytest.fixture
def neighbour(group: Callable[..., list[str]]) -> Iterator[Callable[[int], subprocess.Popen[str]]]:
    started: list[subprocess.Popen[str]] = []

    def start(size: int) -> subprocess.Popen[str]:
        words = group(sys.executable, "-S", "-c", NEIGHBOUR, size)
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


class Shared:
    """A program that runs in the group, and its report."""

    def __init__(self, group: Callable[..., list[str]], directory: Path, step: int) -> None:
        self.runs, self.report, self.ready = directory / "runs", directory / "report.json", directory / "ready"
        script = directory / "victim.py"
        script.write_text(VICTIM)
        words = session.whydied_run(self.runs, "--json", self.report, script, self.ready, str(step))
        self.process = subprocess.Popen(group(*words), stdin=subprocess.DEVNULL)
        session.wait_until(lambda: self.ready.exists() and self.ready.read_text(), "the program")

    def ended(self) -> dict[str, Any]:
        self.process.wait(session.PATIENCE_S)
        report: dict[str, Any] = json.loads(self.report.read_text())
        return report


@pytest.mark.cgroup
def test_a_neighbour_that_takes_the_groups_memory_is_named(
    group: Callable[..., list[str]], neighbour: Callable[[int], subprocess.Popen[str]], tmp_path: Path
) -> None:
    other = neighbour(1 << 20)
    run = Shared(group, tmp_path, step=1 << 12)
    session.wait_until(lambda: session.records(run.runs, NeighboursSampled), "the first look")
    assert other.stdin is not None
    other.stdin.write(run.ready.read_text() + "\n")
    other.stdin.flush()
    report = run.ended()
    assert report["internal_errors"] == []
    assert report["death"]["name"] == "host-oom-kill"
    assert report["cause"]["name"] == "memory-taken-by-others"
    assert report["cause"]["culprit"]["value"] == f"pid {other.pid}"
    assert report["cause"]["culprit"]["bytes"] > LIMIT_BYTES / 2


@pytest.mark.cgroup
def test_a_neighbour_that_is_large_and_constant_is_not_blamed(
    group: Callable[..., list[str]], neighbour: Callable[[int], subprocess.Popen[str]], tmp_path: Path
) -> None:
    neighbour(300 << 20)
    report = Shared(group, tmp_path, step=20 << 20).ended()
    assert report["death"]["name"] == "host-oom-kill"
    assert "memory-taken-by-others" not in [finding["name"] for finding in report["findings"]]


def test_gpus_are_watched_while_a_program_runs(tmp_path: Path) -> None:
    pytest.importorskip("pynvml", reason="nvidia-ml-py is not installed")
    driver = Driver(tmp_path / "says", stand_in.build(tmp_path))
    driver.say(device(12 * GIB), f"process|0|compute|{os.getpid()}|{12 * GIB}")
    words = session.whydied_run(tmp_path / "runs", "-m", "timeit", "-n", "1", "-r", "1", "import time; time.sleep(1)")
    subprocess.run(words, env=driver.environment, check=True, stdout=subprocess.DEVNULL, timeout=session.PATIENCE_S)
    (found,) = session.records(tmp_path / "runs", GpuFound)
    assert isinstance(found, GpuFound)
    assert (found.name, found.driver) == ("NVIDIA Test GPU", "550.54.14")
    sampled = session.records(tmp_path / "runs", GpuSampled)
    assert sampled
    first = sampled[0]
    assert isinstance(first, GpuSampled)
    assert [(held.pid, held.ours) for held in first.processes] == [(os.getpid(), False)]


@pytest.mark.variation
def test_a_gpu_that_tensorflow_was_not_built_for_is_a_note(tmp_path: Path) -> None:
    pytest.importorskip("pynvml", reason="nvidia-ml-py is not installed")
    build = pytest.importorskip("tensorflow").sysconfig.get_build_info()
    if build["is_cuda_build"]:
        pytest.skip("this TensorFlow has CUDA")
    driver = Driver(tmp_path / "says", stand_in.build(tmp_path))
    driver.say(device(0))
    program = tmp_path / "program.py"
    program.write_text("import tensorflow as tf\nprint(tf.constant(1.0) + 1.0)\n")
    report = tmp_path / "report.json"
    words = session.whydied_run(tmp_path / "runs", "--json", str(report), str(program))
    subprocess.run(words, env=driver.environment, check=True, stdout=subprocess.DEVNULL, timeout=session.PATIENCE_S)
    told = json.loads(report.read_text())
    assert told["findings"] == []
    (note,) = told["notes"]
    assert "was not used" in note
    assert "is built without CUDA" in note
