"""Memory limits with real kills: by the kernel in a control group, and by our own watch."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests import session

from whydied.linux import cgroup
from whydied.places import list_runs
from whydied.records import (
    ImportantSample,
    KernelLogged,
    LimitApplied,
    MachineSampled,
    OomCounted,
    ProgramEnded,
    SignalSent,
)
from whydied.run.observe import limits

GROWS = """
import time
kept = []
for _ in range(400):
    kept.append(bytearray(2_000_000))
    time.sleep(0.005)
"""
LIMIT_BYTES = 120 << 20


@pytest.fixture
def can_limit(runs: Path) -> Iterator[None]:
    own = cgroup.own_group()
    if own is None or not os.access(own.path, os.W_OK):
        pytest.skip("no memory control group can be made here")
    yield
    # Other tests, and other programs, have groups of their own.
    left = {f"whydied-{run.id}" for run in list_runs(runs)} & set(os.listdir(own.path))
    assert not left


@pytest.mark.cgroup
@pytest.mark.usefixtures("can_limit")
def test_kernel_kill_is_counted(tmp_path: Path, runs: Path) -> None:
    (tmp_path / "grows.py").write_text(GROWS)
    argv = session.whydied_run(runs, "--memory-limit", str(LIMIT_BYTES), "grows.py")
    assert subprocess.run(argv, cwd=tmp_path, stdin=subprocess.DEVNULL).returncode == 137
    (applied,) = session.records(runs, LimitApplied)
    assert isinstance(applied, LimitApplied)
    assert applied.kind.startswith("cgroup v")
    assert (applied.limit_bytes, applied.ours) == (LIMIT_BYTES, True)
    counted = [r for r in session.records(runs, OomCounted) if isinstance(r, OomCounted) and r.path == applied.path]
    assert [(record.moment, record.kills) for record in counted] == [("start", 0), ("end", 1)]
    assert counted[1].peak_bytes == LIMIT_BYTES
    assert counted[1].limit_bytes == LIMIT_BYTES
    assert session.records(runs, SignalSent) == []
    (ended,) = session.records(runs, ProgramEnded)
    if os.access("/dev/kmsg", os.R_OK):
        assert isinstance(ended, ProgramEnded)
        assert any(f"process {ended.pid} " in r.line for r in session.records(runs, KernelLogged))  # type: ignore[attr-defined]


@pytest.mark.cgroup
@pytest.mark.usefixtures("can_limit")
def test_samples_follow_the_growth(tmp_path: Path, runs: Path) -> None:
    (tmp_path / "grows.py").write_text(GROWS)
    argv = session.whydied_run(runs, "--memory-limit", str(LIMIT_BYTES), "grows.py")
    subprocess.run(argv, cwd=tmp_path, stdin=subprocess.DEVNULL)
    sizes = [r.processes[0].rss_bytes for r in session.records(runs, MachineSampled) if r.processes]  # type: ignore[attr-defined]
    assert len(sizes) >= 5
    last = session.records(runs, ImportantSample)[-1]
    assert isinstance(last, ImportantSample)
    assert last.sample.cgroup_limit_bytes == LIMIT_BYTES
    assert last.sample.processes[0].rss_bytes > 0.7 * LIMIT_BYTES


@pytest.mark.cgroup
@pytest.mark.usefixtures("can_limit")
def test_enough_memory_changes_nothing(tmp_path: Path, runs: Path) -> None:
    (tmp_path / "fits.py").write_text("x = bytearray(10_000_000)\nprint(len(x))")
    argv = session.whydied_run(runs, "--memory-limit", "400M", "fits.py")
    done = subprocess.run(argv, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"10000000\n", b"")
    assert {record.kills for record in session.records(runs, OomCounted) if record.scope == "cgroup"} == {0}  # type: ignore[attr-defined]


@pytest.mark.cgroup
@pytest.mark.usefixtures("can_limit")
def test_descendant_that_outlives_the_limit_is_moved_out(tmp_path: Path, runs: Path) -> None:
    argv = session.whydied_run(runs, "--memory-limit", "400M", "--", "sh", "-c", "sleep 600 & echo $! > pid")
    subprocess.run(argv, cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    pid = int((tmp_path / "pid").read_text())
    try:
        assert session.state_of(pid) not in ("", "Z")
        assert "whydied-" not in Path(f"/proc/{pid}/cgroup").read_text()
    finally:
        os.kill(pid, 9)


SMALL_WORKERS = """
import time
from concurrent.futures import ProcessPoolExecutor


def work(number):
    kept = [bytearray(b"x" * 1_000_000) for _ in range(12)]
    time.sleep(1)
    return len(kept)


if __name__ == "__main__":
    with ProcessPoolExecutor(12) as pool:
        print(sum(pool.map(work, range(24))))
"""


@pytest.mark.cgroup
@pytest.mark.usefixtures("can_limit")
def test_in_a_group_that_holds_us_too_the_program_is_killed_first(tmp_path: Path, runs: Path) -> None:
    """As in a container. Each of its workers is smaller than the supervisor, which the kernel would take otherwise."""
    own = cgroup.own_group()
    assert own is not None
    limit = limits.wanted_limit(LIMIT_BYTES, f"shared-{os.getpid()}")
    assert limit.made is not None
    (tmp_path / "workers.py").write_text(SMALL_WORKERS)
    argv = session.whydied_run(runs, "--json", "report.json", "workers.py")
    try:
        join = ["sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', limit.made.path]
        done = subprocess.run([*join, *argv], cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True)
    finally:
        limits.remove_group(limit.made)
    assert done.returncode == 1, done.stderr
    assert b"BrokenProcessPool" in done.stderr
    report = json.loads((tmp_path / "report.json").read_bytes())
    assert report["outcome"] == "failed"
    assert [error for error in report["internal_errors"] if error] == []


RANKS = """
import os
from pathlib import Path

me, supervisor = os.getpid(), os.getppid()


def adjustment(pid):
    return int(Path(f"/proc/{pid}/oom_score_adj").read_text())


children = Path(f"/proc/{supervisor}/task/{supervisor}/children").read_text().split()
others = sorted(adjustment(pid) for pid in children if int(pid) != me)
print(adjustment(me), adjustment(supervisor), *others)
"""


@pytest.mark.cgroup
@pytest.mark.usefixtures("can_limit")
def test_who_goes_first_where_the_limit_is_shared(tmp_path: Path, runs: Path) -> None:
    """The program before the decoys, these before the supervisor, which counts as it did."""
    limit = limits.wanted_limit(8 * LIMIT_BYTES, f"ranks-{os.getpid()}")
    assert limit.made is not None
    (tmp_path / "ranks.py").write_text(RANKS)
    argv = session.whydied_run(runs, "ranks.py")
    before = int(Path("/proc/self/oom_score_adj").read_text())
    try:
        join = ["sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', limit.made.path]
        done = subprocess.run([*join, *argv], cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True)
    finally:
        limits.remove_group(limit.made)
    program, supervisor, *others = map(int, done.stdout.split())
    assert supervisor == before
    # One of the others is the canary, which counts like the supervisor.
    assert len(others) == 4
    assert all(supervisor < decoy < program for decoy in others[1:])


def test_watched_limit(tmp_path: Path, runs: Path) -> None:
    """Where no group can be made the supervisor kills, and says why it was the one."""
    (tmp_path / "grows.py").write_text(GROWS)
    code = f"""
from pathlib import Path
from whydied.run.observe import limits
from whydied.run.command import Command
from whydied.run.supervise import RunRequest, supervise
limits.wanted_limit = lambda size, name: limits.watched_limit(size, None, "not permitted in this test")
request = RunRequest(Command("script", ("grows.py",)), Path({str(runs)!r}), memory_limit_bytes={LIMIT_BYTES})
raise SystemExit(supervise(request).exit_status)
"""
    assert subprocess.run([sys.executable, "-c", code], cwd=tmp_path, stdin=subprocess.DEVNULL).returncode == 137
    assert session.records(runs, SignalSent) == [SignalSent(signal=9, why="memory limit")]
    (applied,) = session.records(runs, LimitApplied)
    assert applied == LimitApplied(
        kind="watched", limit_bytes=LIMIT_BYTES, ours=True, reason="not permitted in this test"
    )
    (ended,) = session.records(runs, ProgramEnded)
    assert isinstance(ended, ProgramEnded)
    assert (ended.peak_rss_bytes or 0) < 2 * LIMIT_BYTES


def test_limit_that_holds_anyway_is_recorded(tmp_path: Path, runs: Path) -> None:
    subprocess.run(session.whydied_run(runs, "--", "true"), cwd=tmp_path, stdin=subprocess.DEVNULL, check=True)
    (applied,) = session.records(runs, LimitApplied)
    assert isinstance(applied, LimitApplied)
    assert not applied.ours
    assert applied.limit_bytes > 1 << 20


def test_address_space_limit_is_noted(tmp_path: Path, runs: Path) -> None:
    argv = ["sh", "-c", 'ulimit -v 4000000; exec "$@"', "sh", *session.whydied_run(runs, "--", "true")]
    subprocess.run(argv, cwd=tmp_path, stdin=subprocess.DEVNULL, check=True)
    kinds = [(r.kind, r.limit_bytes) for r in session.records(runs, LimitApplied)]  # type: ignore[attr-defined]
    assert kinds[0] == ("address space", 4000000 * 1024)
    assert len(kinds) == 2
