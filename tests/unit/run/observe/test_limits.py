"""Which memory limit holds, from trees of files of machines that we do not have, and from this one."""

from __future__ import annotations

from pathlib import Path

import pytest

from whydied.linux import cgroup
from whydied.records import LimitApplied, OomCounted
from whydied.run.observe import limits

GIB = 1 << 30
NO_LIMIT = 9223372036854771712
V2_MOUNT = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
V1_MOUNT = "33 26 0:30 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"


class Machine:
    """A tree of files that looks like a machine."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.root = f"{path}/"
        self.write("proc/meminfo", f"MemTotal: {16 * GIB // 1024} kB\nMemAvailable: 1024 kB\nSwapTotal: 2048 kB\n")
        self.write("proc/vmstat", "nr_free_pages 1\noom_kill 4\n")

    def write(self, name: str, text: str | int) -> None:
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{text}")

    def version_2(self, group: str, limits_by_group: dict[str, str | int]) -> None:
        self.write("proc/self/cgroup", f"0::{group}\n")
        self.write("proc/self/mountinfo", V2_MOUNT)
        for name, limit in limits_by_group.items():
            self.version_2_group(name, limit)

    def version_2_group(self, name: str, limit: str | int, kills: int = 0) -> None:
        folder = f"sys/fs/cgroup{name}"
        self.write(f"{folder}/memory.max", limit)
        self.write(f"{folder}/memory.current", 5000)
        self.write(f"{folder}/memory.peak", 9000)
        self.write(f"{folder}/memory.events", f"low 0\nhigh 0\nmax 7\noom 2\noom_kill {kills}\noom_group_kill 0\n")
        self.write(f"{folder}/cgroup.controllers", "cpu memory pids")
        self.write(f"{folder}/cgroup.procs", "")

    def version_1(self, group: str, limits_by_group: dict[str, int], mount: str = V1_MOUNT) -> None:
        self.write("proc/self/cgroup", f"9:name=systemd:/x\n4:cpu,memory:{group}\n0::/\n")
        self.write("proc/self/mountinfo", mount + V2_MOUNT.replace("/sys/fs/cgroup", "/sys/fs/cgroup/unified"))
        for name, limit in limits_by_group.items():
            folder = f"sys/fs/cgroup/memory{name}"
            self.write(f"{folder}/memory.limit_in_bytes", limit)
            self.write(f"{folder}/memory.usage_in_bytes", 5000)
            self.write(f"{folder}/memory.max_usage_in_bytes", 9000)
            self.write(f"{folder}/memory.failcnt", 7)
            self.write(f"{folder}/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_machine_without_groups(machine: Machine) -> None:
    limit = limits.standing_limit(machine.root)
    assert (limit.kind, limit.limit_bytes, limit.group) == ("machine", 16 * GIB, None)
    assert list(limits.count_kills(limit, "end", machine.root)) == [OomCounted(moment="end", scope="machine", kills=4)]


def test_version_2_smallest_limit_above_holds(machine: Machine) -> None:
    machine.version_2("/pod/box", {"/pod": 2 * GIB, "/pod/box": "max"})
    limit = limits.standing_limit(machine.root)
    assert (limit.kind, limit.limit_bytes, limit.path) == ("cgroup v2", 2 * GIB, f"{machine.root}sys/fs/cgroup/pod")
    counted = list(limits.count_kills(limit, "start", machine.root))
    assert [(record.scope, record.kills, record.peak_bytes) for record in counted] == [
        ("cgroup", 0, 9000),
        ("cgroup", 0, 9000),
        ("machine", 4, None),
    ]
    assert [record.limit_bytes for record in counted] == [None, 2 * GIB, None]


def test_version_2_oom_kill_is_counted(machine: Machine) -> None:
    machine.version_2("/box", {"/box": GIB})
    limit = limits.standing_limit(machine.root)
    before = next(limits.count_kills(limit, "start", machine.root))
    machine.version_2_group("/box", GIB, kills=1)
    after = next(limits.count_kills(limit, "end", machine.root))
    assert (before.kills, after.kills) == (0, 1)


def test_version_2_limit_above_the_machine_is_none(machine: Machine) -> None:
    machine.version_2("/box", {"/box": 64 * GIB})
    assert limits.standing_limit(machine.root).kind == "machine"


def test_version_2_root_of_a_container(machine: Machine) -> None:
    """With a namespace of its own the path is "/", and the mount point is the container's group."""
    machine.version_2("/", {"": GIB})
    limit = limits.standing_limit(machine.root)
    assert (limit.kind, limit.limit_bytes, limit.path) == ("cgroup v2", GIB, f"{machine.root}sys/fs/cgroup")


def test_version_1_among_hybrid_mounts(machine: Machine) -> None:
    machine.version_1("/jobs/one", {"": NO_LIMIT, "/jobs": 3 * GIB, "/jobs/one": NO_LIMIT})
    limit = limits.standing_limit(machine.root)
    assert (limit.kind, limit.limit_bytes) == ("cgroup v1", 3 * GIB)
    assert limit.path == f"{machine.root}sys/fs/cgroup/memory/jobs"
    counted = next(limits.count_kills(limit, "end", machine.root))
    assert (counted.kills, counted.peak_bytes) == (3, 9000)


@pytest.mark.parametrize("told", ["/docker/abc", "/", "/somewhere/else", "/../.."])
def test_version_1_container_sees_a_subtree(machine: Machine, told: str) -> None:
    """The mount shows /docker/abc; what `/proc/self/cgroup` says may be told from outside of it."""
    mount = V1_MOUNT.replace(" / /sys", " /docker/abc /sys")
    machine.version_1(told, {"": GIB}, mount)
    assert limits.standing_limit(machine.root).limit_bytes == GIB


def test_wanted_limit_in_a_sibling_for_version_2(machine: Machine) -> None:
    """Our own group has us in it, so it can give its children no controller."""
    machine.version_2("/user/shell", {"/user": "max", "/user/shell": "max"})
    limit = limits.wanted_limit(GIB, "r1", machine.root)
    made = machine.path / "sys/fs/cgroup/user/whydied-r1"
    assert (limit.kind, limit.path, limit.ours) == ("cgroup v2", str(made), True)
    assert (made / "memory.max").read_text() == str(GIB)
    assert (made / "memory.swap.max").read_text() == "0"


def test_wanted_limit_for_version_1_accounts_for_swap(machine: Machine) -> None:
    machine.version_1("/jobs", {"/jobs": NO_LIMIT})
    limit = limits.wanted_limit(GIB, "r1", machine.root)
    made = machine.path / "sys/fs/cgroup/memory/jobs/whydied-r1"
    assert (limit.kind, limit.made) == ("cgroup v1", cgroup.ControlGroup(1, str(made), str(made.parent.parent)))
    assert (
        (made / "memory.limit_in_bytes").read_text() == (made / "memory.memsw.limit_in_bytes").read_text() == str(GIB)
    )


def test_wanted_limit_is_watched_where_groups_are_not_permitted(machine: Machine) -> None:
    machine.version_2("/box", {"/box": "max"})
    (machine.path / "sys/fs/cgroup/whydied-r1").touch()
    (machine.path / "sys/fs/cgroup/box/whydied-r1").touch()
    limit = limits.wanted_limit(GIB, "r1", machine.root)
    assert (limit.kind, limit.watched_bytes, limit.made) == ("watched", GIB, None)
    assert limit.applied() == LimitApplied(
        kind="watched",
        limit_bytes=GIB,
        ours=True,
        reason=f"cannot create a cgroup in {machine.root}sys/fs/cgroup: File exists",
    )


def test_wanted_limit_without_any_group(machine: Machine) -> None:
    limit = limits.wanted_limit(GIB, "r1", machine.root)
    assert (limit.kind, limit.reason) == ("watched", "this system has no memory cgroup")


def test_unreadable_numbers_are_no_numbers(machine: Machine) -> None:
    machine.version_2("/box", {"/box": "no number"})
    machine.write("sys/fs/cgroup/box/memory.events", "oom_kill many\n")
    limit = limits.standing_limit(machine.root)
    assert limit.kind == "machine"
    assert [record.scope for record in limits.count_kills(limit, "end", machine.root)] == ["machine"]


def test_this_machine() -> None:
    limit = limits.standing_limit()
    assert limit.limit_bytes > 0
    assert limit.kind in ("machine", "cgroup v1", "cgroup v2")
