from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.unit.doctor.site import CPUINFO, Site
from whydied.doctor.all_checks import Examination, examine
from whydied.doctor.gpu_devices import Devices
from whydied.doctor.machine import Check, Machine
from whydied.doctor.software import python_check

MEMINFO = "MemTotal:       16000000 kB\nMemAvailable:    8000000 kB\nSwapTotal:             0 kB\n"
V2_MOUNT = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n"
V1_MOUNT = "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"


class Tree:
    """A machine made of files."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.site = Site(root / "environment")
        self.write("proc/cpuinfo", CPUINFO)
        self.write("proc/meminfo", MEMINFO)
        self.write("proc/1/stat", "1 (init) S")
        self.write("proc/self/stat", "2 (me) S")
        self.write("proc/pressure/memory", "some avg10=0.00")
        self.write("proc/sys/vm/overcommit_memory", "1\n")
        self.write("proc/sys/kernel/yama/ptrace_scope", "1\n")
        self.write("dev/kmsg", "")
        (root / "dev/shm").mkdir()
        self.write("proc/self/mountinfo", V2_MOUNT)
        self.write("proc/self/cgroup", "0::/user.slice/job\n")
        for group in ("", "user.slice/", "user.slice/job/"):
            self.write(f"sys/fs/cgroup/{group}cgroup.controllers", "cpu memory\n")
            self.write(f"sys/fs/cgroup/{group}cgroup.subtree_control", "cpu memory\n")
            self.write(f"sys/fs/cgroup/{group}memory.max", "max\n")
            self.write(f"sys/fs/cgroup/{group}memory.current", "1000\n")

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def examine(self, **fields: Any) -> Examination:
        limits = {"RLIMIT_CORE": None, "RLIMIT_AS": None, "RLIMIT_DATA": None, "RLIMIT_STACK": 8 << 20}
        given: dict[str, Any] = {"runs": self.root / "runs", "system": "Linux", "architecture": "x86_64"}
        machine = Machine(**{**given, "root": self.root, "limits": limits, **fields})
        return examine(machine, self.site.environment(), Devices())

    def checks(self, **fields: Any) -> dict[str, Check]:
        examination = self.examine(**fields)
        assert examination.errors == ()
        return {check.name: check for check in examination.checks}


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def test_a_machine_that_has_everything(tree: Tree) -> None:
    checks = tree.checks()
    wrong = [check for name, check in checks.items() if check.status != "ok" and name not in ("tensorflow", "py-spy")]
    assert wrong == []
    assert "can be created (cgroup v2)" in checks["control group"].found
    assert "none (cgroup v2)" in checks["limit"].found


def test_whatever_is_missing_has_its_cost_and_its_remedy(tmp_path: Path) -> None:
    machine = Machine(
        runs=tmp_path / "runs",
        root=tmp_path / "empty",
        system="Plan9",
        architecture="pdp11",
        limits={"RLIMIT_CORE": 0, "RLIMIT_AS": 1 << 30},
    )
    examination = examine(machine, Site(tmp_path / "environment").environment(), Devices())
    wrong = [check for check in examination.checks if check.status != "ok"]
    assert len(wrong) >= 9
    assert examination.is_broken
    assert examination.errors == ()
    assert all(check.impact and check.fix for check in wrong)


def test_the_tightest_limit_above_holds(tree: Tree) -> None:
    tree.write("sys/fs/cgroup/user.slice/memory.max", str(2 << 30))
    assert tree.checks()["limit"].found == "2.00 GiB (cgroup v2)"


def test_cgroup_v1(tree: Tree) -> None:
    tree.write("proc/self/mountinfo", V1_MOUNT + V2_MOUNT)
    tree.write("proc/self/cgroup", "4:memory:/job\n0::/\n")
    tree.write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", str(1 << 30))
    tree.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712")
    checks = tree.checks()
    assert checks["limit"].found == "1.00 GiB (cgroup v1)"
    assert checks["control group"].status == "ok"


def test_a_controller_that_is_not_handed_down(tree: Tree) -> None:
    tree.write("sys/fs/cgroup/user.slice/cgroup.subtree_control", "cpu\n")
    check = tree.checks()["control group"]
    assert check.status == "missing"
    assert "--memory-limit is enforced by watching" in (check.impact or "")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("dev/kmsg", "kernel log"),
        ("proc/1/stat", "other processes"),
        ("proc/pressure/memory", "pressure (PSI)"),
        ("proc/meminfo", "memory"),
        ("proc/self/cgroup", "limit"),
    ],
)
def test_each_missing_file_is_noticed(tree: Tree, path: str, name: str) -> None:
    assert tree.checks()[name].status == "ok"
    os.unlink(tree.root / path)
    assert tree.checks()[name].status == "missing"


def test_limits_of_the_shell(tree: Tree) -> None:
    tight = tree.checks(limits={"RLIMIT_AS": 4 << 30})["ulimits"]
    assert (tight.status, tight.found) == ("risk", "address space 4.00 GiB")


def test_a_limit_in_which_tensorflow_hardly_fits(tree: Tree) -> None:
    tree.write("sys/fs/cgroup/user.slice/memory.max", str(700 << 20))
    assert tree.checks()["limit"].status == "risk"


def test_strict_accounting_of_memory(tree: Tree) -> None:
    tree.write("proc/sys/vm/overcommit_memory", "2\n")
    tree.write("proc/meminfo", MEMINFO + "CommitLimit:    20000000 kB\nCommitted_AS:    1000000 kB\n")
    assert tree.checks()["overcommit"].status == "ok"
    tree.write("proc/meminfo", MEMINFO + "CommitLimit:     8000000 kB\nCommitted_AS:    7000000 kB\n")
    assert tree.checks()["overcommit"].status == "risk"


def test_what_a_failing_check_takes_down_is_itself(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    from whydied.doctor import all_checks

    def fails(*_: Any) -> list[Check]:
        raise RuntimeError("our own bug")

    monkeypatch.setattr(all_checks, "openmp_checks", fails)
    examined = tree.examine()
    assert "our own bug" in examined.errors[0]
    assert "processor" in {check.name for check in examined.checks}


def test_ptrace_scopes(tree: Tree) -> None:
    tree.write("proc/sys/kernel/yama/ptrace_scope", "3\n")
    assert tree.checks()["ptrace"].status == "missing"


def test_a_place_for_runs_that_cannot_be_written_is_broken(tree: Tree) -> None:
    tree.write("occupied", "a file")
    check = tree.checks(runs=tree.root / "occupied" / "runs")["runs"]
    assert check.status == "broken"
    assert "nothing can be recorded" in (check.impact or "")


def test_pythons() -> None:
    assert python_check((3, 9), "3.9.1").status == "broken"
    assert python_check((3, 10), "3.10.0").status == "ok"
    assert python_check((3, 13), "3.13.2").status == "ok"
    assert python_check((3, 14), "3.14.0").status == "missing"
