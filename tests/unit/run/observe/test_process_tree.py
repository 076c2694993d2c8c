"""Processes of the program, found among all of this machine."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import session
from whydied import places
from whydied.linux import proc
from whydied.records import MachineSampled, ProcessSample
from whydied.run import loop
from whydied.run.disk import DiskSync
from whydied.run.observe import process_tree
from whydied.run.observe.process_tree import ProcessTree
from whydied.run.observe.sample import NEAR_LIMIT_S, USUAL_S, Sampler

FAMILY = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import subprocess; subprocess.run(['sleep', '600'])"])
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execvp("sleep", ["sleep", "601"])
    os._exit(0)
os.wait()
print("ready", flush=True)
time.sleep(600)
"""


@pytest.fixture
def family(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    env = {**os.environ, places.ENV_RUN: str(tmp_path)}
    process = subprocess.Popen([sys.executable, "-c", FAMILY], stdout=subprocess.PIPE, env=env)
    try:
        assert session.read_line(process) == b"ready\n"
        yield process
    finally:
        found = ProcessTree(process.pid, str(tmp_path))
        found.signal(signal.SIGKILL)
        process.communicate()


def names(found: ProcessTree) -> list[str]:
    found.scan()
    return sorted(process.name for process in found.sample() if process.pid != found.root_pid)


def test_children_and_daemons_are_found(family: subprocess.Popen[bytes], tmp_path: Path) -> None:
    """One child, its child, and a daemon that nobody but its environment ties to the run."""
    found = ProcessTree(family.pid, str(tmp_path))
    session.wait_until(lambda: names(found) == sorted(["sleep", "sleep", _python_name()]), "the whole family")
    assert len(found.ever) == 4


def test_someone_elses_daemon_is_not_ours(family: subprocess.Popen[bytes], tmp_path: Path) -> None:
    found = ProcessTree(family.pid, str(tmp_path / "another"))
    session.wait_until(lambda: names(found) == sorted(["sleep", _python_name()]), "the children")


def test_older_processes_are_not_ours(family: subprocess.Popen[bytes], tmp_path: Path) -> None:
    assert names(ProcessTree(family.pid, str(tmp_path), older=process_tree.all_pids())) == []


def test_what_ended_is_forgotten(family: subprocess.Popen[bytes], tmp_path: Path) -> None:
    found = ProcessTree(family.pid, str(tmp_path))
    session.wait_until(lambda: len(names(found)) == 3, "the whole family")
    for pid in found.pids[1:]:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    session.wait_until(lambda: not [s for s in found.sample()[1:] if s.state != "Z"], "the children to be gone")


def test_sample_of_this_process(tmp_path: Path) -> None:
    sampler = Sampler(ProcessTree(os.getpid(), "none", older=process_tree.all_pids()), None, 1 << 50, [str(tmp_path)])
    sample = sampler.sample()
    me = sample.processes[0]
    assert (me.pid, me.ppid, me.state) == (os.getpid(), os.getppid(), "R")
    assert me.rss_bytes == (me.anon_bytes or 0) + (me.file_bytes or 0) + (me.shmem_bytes or 0) > 1_000_000
    assert sample.available_bytes
    assert sample.disk_free_bytes
    assert sampler.pause_s == USUAL_S


def test_samples_come_faster_near_the_limit() -> None:
    found = ProcessTree(os.getpid(), "none", older=process_tree.all_pids())
    rss = found.sample()[0].rss_bytes
    sampler = Sampler(found, None, int(rss * 1.1), [])
    sampler.sample()
    assert sampler.pause_s == NEAR_LIMIT_S


def test_stat_of_a_name_with_parentheses(tmp_path: Path) -> None:
    fields = "S 7 1 1 0 -1 4194560 1 0 0 0 150 50 0 0 20 0 1 0 12345 0 3 " + "0 " * 27 + "9"
    (tmp_path / "proc/5").mkdir(parents=True)
    (tmp_path / "proc/5/stat").write_text(f"5 (a) b (c)) {fields}\n")
    stat = proc.stat_of(5, f"{tmp_path}/")
    assert stat == proc.Stat(
        5, "a) b (c)", "S", 7, 200 / proc.TICKS_PER_SECOND, 12345, 9, 3 * os.sysconf("SC_PAGE_SIZE")
    )


def _sample(*rss: int) -> MachineSampled:
    return MachineSampled(
        processes=[
            ProcessSample(pid=10_000_000 + at, ppid=1, name="p", state="S", rss_bytes=size)
            for at, size in enumerate(rss)
        ]
    )


def test_memory_guard_picks_the_largest() -> None:
    assert loop.over_limit(_sample(100), 100) is None
    assert loop.over_limit(_sample(101), 100) == _sample(101).processes[0]
    assert loop.over_limit(_sample(40, 70), 100) == _sample(40, 70).processes[1]


def test_memory_guard_counts_shared_pages_once(tmp_path: Path) -> None:
    """Two processes that share all their pages after a fork hold them once."""
    code = "import os\nx = bytearray(80_000_000)\nos.fork()\nos.write(1, b'%d\\n' % os.getpid())\nos.read(0, 1)"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        pids = [int(session.read_line(process)), int(session.read_line(process))]
        try:
            samples = [s for pid in pids for s in ProcessTree(pid, "none", older=process_tree.all_pids()).sample()]
            sample = MachineSampled(processes=samples)
            assert sum(s.rss_bytes for s in samples) > 160_000_000
            assert loop.over_limit(sample, 140_000_000) is None
            assert loop.over_limit(sample, 60_000_000) is not None
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGKILL)


def test_disk_sync_takes_old_segments_once(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"process-1-a.log.{number:06}.rec").write_bytes(b"x")
    (tmp_path / "supervisor.key.000000.rec").write_bytes(b"x")
    disk = DiskSync(tmp_path)
    assert len(disk.sync()) == 4
    assert sorted(disk.sync()) == ["process-1-a.log.000002.rec", "supervisor.key.000000.rec"]


def _python_name() -> str:
    stat = proc.stat_of(os.getpid())
    assert stat is not None
    return os.path.basename(sys.executable)[:15]
