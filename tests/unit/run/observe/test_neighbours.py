"""Other processes, by real ones that take memory and processor time."""

from __future__ import annotations

import os
import pwd
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from whydied.linux import proc
from whydied.records import MachineSampled, Neighbour, NeighboursSampled
from whydied.run.observe import neighbours
from whydied.run.observe.neighbours import CHANGE_BYTES, NeighbourWatch
from whydied.run.observe.process_tree import ProcessTree, all_pids

MIB = 1 << 20
TAKEN = 300 * MIB
# Tells when it is ready, takes memory at a first line of its input, and ends with the input.
TAKER = """
import sys
print("ready", flush=True)
for line in sys.stdin:
    held = b"x" * int(line)
    print("taken", flush=True)
"""
FAMILY = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-S", "-c", sys.argv[1]], stdin=sys.stdin)
child.wait()
"""


class Process:
    def __init__(self, *words: str) -> None:
        self.popen = subprocess.Popen(
            [sys.executable, "-S", "-c", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.pid = self.popen.pid
        self.hear("ready")

    def take(self, size: int) -> None:
        assert self.popen.stdin is not None
        self.popen.stdin.write(f"{size}\n")
        self.popen.stdin.flush()
        self.hear("taken")

    def hear(self, word: str) -> None:
        assert self.popen.stdout is not None
        assert self.popen.stdout.readline().strip() == word

    def end(self) -> None:
        self.popen.communicate()


@pytest.fixture
def start() -> Iterator[Callable[..., Process]]:
    started: list[Process] = []

    def make(*words: str) -> Process:
        started.append(Process(*(words or (TAKER,))))
        return started[-1]

    yield make
    for process in started:
        process.end()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks are always due, and whatever else runs on this machine pushes nobody off the lists."""
    for name in ("USUAL_S", "SHORT_S", "_COST_SHARE", "_BUSY_CORES"):
        monkeypatch.setattr(neighbours, name, 0.0)
    for name in ("_LARGEST", "_BUSIEST"):
        monkeypatch.setattr(neighbours, name, 10_000)


def tree_of(pid: int) -> ProcessTree:
    return ProcessTree(pid, "/nowhere/run", older=all_pids() - {pid})


def found(sampled: NeighboursSampled | None, pid: int) -> Neighbour | None:
    return next((other for other in sampled.largest if other.pid == pid), None) if sampled else None


def look(watch: NeighbourWatch) -> NeighboursSampled | None:
    return watch.look(MachineSampled(processes=[], available_bytes=20 << 30), 24 << 30)


@pytest.mark.usefixtures("impatient")
def test_a_process_that_takes_memory_is_named_with_its_user_age_and_command(start: Callable[..., Process]) -> None:
    program, taker = start(), start()
    watch = NeighbourWatch(tree_of(program.pid))
    first = look(watch)
    assert first is not None
    assert first.moment == "start"
    taker.take(TAKEN)
    second = look(watch)
    assert second is not None
    assert second.moment == "change"
    named = found(second, taker.pid)
    assert named is not None
    assert named.rss_bytes == pytest.approx(TAKEN, rel=0.1)
    assert named.name == Path(f"/proc/{taker.pid}/comm").read_text().strip()
    assert named.user == pwd.getpwuid(os.getuid()).pw_name
    assert named.command.startswith(sys.executable)
    assert named.age_s is not None
    assert named.age_s >= 0


@pytest.mark.usefixtures("impatient")
def test_nothing_is_told_when_little_changed(start: Callable[..., Process], monkeypatch: pytest.MonkeyPatch) -> None:
    program, taker = start(), start()
    watch = NeighbourWatch(tree_of(program.pid))
    only = (taker.pid, program.pid)
    monkeypatch.setattr(neighbours, "all_pids", lambda root: only)
    monkeypatch.setattr(neighbours, "_CHANGE_CORES", 1000.0)
    assert look(watch) is not None
    taker.take(CHANGE_BYTES // 4)
    assert look(watch) is None
    taker.take(2 * CHANGE_BYTES)
    assert look(watch) is not None


@pytest.mark.usefixtures("impatient")
def test_the_program_and_its_children_are_no_neighbours(start: Callable[..., Process]) -> None:
    """The child is in no list of the tree yet: it is known by its parent."""
    family = start(FAMILY, TAKER)
    tree = tree_of(family.pid)
    family.take(TAKEN)
    assert tree.pids == [family.pid]
    sampled = look(NeighbourWatch(tree))
    assert sampled is not None
    children = {other.pid for other in sampled.largest if (stat := proc.stat_of(other.pid)) and stat.ppid == family.pid}
    assert children == set()
    assert found(sampled, family.pid) is None
    assert found(sampled, os.getpid()) is None


@pytest.mark.usefixtures("impatient")
def test_a_child_of_the_program_would_be_seen_if_it_were_a_strangers(start: Callable[..., Process]) -> None:
    """The test above can fail: with another program, the same child is a neighbour."""
    family, program = start(FAMILY, TAKER), start()
    family.take(TAKEN)
    sampled = look(NeighbourWatch(tree_of(program.pid)))
    assert sampled is not None
    parents = {stat.ppid for other in sampled.largest if (stat := proc.stat_of(other.pid))}
    assert family.pid in parents


@pytest.mark.usefixtures("impatient")
def test_the_busiest_are_named_with_their_cores(start: Callable[..., Process]) -> None:
    program = start()
    busy = subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"])
    try:
        watch = NeighbourWatch(tree_of(program.pid))
        look(watch)
        spent = proc.stat_of(busy.pid)
        while spent is not None and spent.cpu_s < 0.5:
            time.sleep(0.05)
            spent = proc.stat_of(busy.pid)
        last = watch.conclude()
    finally:
        busy.kill()
        busy.wait()
    named = [other for other in last.busiest if other.pid == busy.pid]
    assert last.moment == "end"
    assert named
    assert (named[0].cpu_cores or 0) > 0


def test_a_look_that_is_not_due_is_none(start: Callable[..., Process]) -> None:
    watch = NeighbourWatch(tree_of(start().pid))
    assert look(watch) is not None
    assert look(watch) is None


@pytest.mark.parametrize(
    ("machine", "short"),
    [
        (MachineSampled(processes=[], available_bytes=20 << 30), False),
        (MachineSampled(processes=[], available_bytes=1 << 30), True),
        (MachineSampled(processes=[], available_bytes=20 << 30, cgroup_bytes=9, cgroup_limit_bytes=10), True),
        (MachineSampled(processes=[], available_bytes=20 << 30, cgroup_bytes=5, cgroup_limit_bytes=10), False),
        (MachineSampled(processes=[], cgroup_bytes=5), False),
    ],
)
def test_memory_is_short_on_the_machine_or_in_the_group(machine: MachineSampled, short: bool) -> None:
    assert neighbours.is_short(machine, 24 << 30) is short


@pytest.mark.usefixtures("impatient")
def test_where_a_group_has_the_limit_its_members_come_first(start: Callable[..., Process], tmp_path: Path) -> None:
    program, small, large = start(), start(), start()
    large.take(TAKEN)
    (tmp_path / "cgroup.procs").write_text(f"{program.pid}\n{small.pid}\n")
    sampled = look(NeighbourWatch(tree_of(program.pid), str(tmp_path)))
    assert sampled is not None
    assert (sampled.largest[0].pid, sampled.largest[0].same_group) == (small.pid, True)
    stranger = found(sampled, large.pid)
    assert stranger is not None
    assert stranger.same_group is False


def test_members_of_a_group_are_those_below_it_too(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "cgroup.procs").write_text("10\n11\n")
    (tmp_path / "inner" / "cgroup.procs").write_text("12\n")
    assert neighbours._members(str(tmp_path)) == {10, 11, 12}
    assert neighbours._members(None) is None


def test_a_process_that_is_gone_has_no_identity() -> None:
    done = subprocess.Popen([sys.executable, "-S", "-c", ""])
    done.wait()
    assert neighbours.identity(done.pid) == neighbours.Identity()
    assert proc.stat_of(done.pid) is None


def test_secrets_in_a_strangers_arguments_are_not_kept(start: Callable[..., Process]) -> None:
    process = start(TAKER, "--password", "hunter2hunter2")
    assert "hunter2" not in neighbours.identity(process.pid).command
