from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.unit.doctor.site import Site, machine, wrong
from whydied.doctor.machine import Check, Machine
from whydied.doctor.resource_limits import group_directories, limit_checks, processor_quota

V2 = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n"
V1 = (
    "35 31 0:32 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
    "36 31 0:33 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
)


def v2(root: Path, **knobs: str) -> dict[str, str]:
    files = {"proc/self/mountinfo": V2, "proc/self/cgroup": "0::/pods/mine\n"}
    return {**files, **{f"sys/fs/cgroup/pods/mine/{name.replace('_', '.')}": text for name, text in knobs.items()}}


class Wide(Machine):
    """A machine of 64 processors."""

    def processors(self) -> range:
        return range(64)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path / "environment")


def looked(site: Site, root: Path, files: dict[str, str], **limits: Any) -> dict[str, Check]:
    made = machine(root / "machine", files, limits=limits)
    return wrong(limit_checks(Wide(*made), site.environment()))


def test_no_limits(site: Site, tmp_path: Path) -> None:
    assert looked(site, tmp_path, v2(tmp_path)) == {}


def test_files_and_stacks(site: Site, tmp_path: Path) -> None:
    found = looked(site, tmp_path, v2(tmp_path), RLIMIT_NOFILE=256, RLIMIT_STACK=512 << 10)
    assert found["open files"].found == "limited to 256"
    assert found["stack"].status == "risk"
    assert looked(site, tmp_path, {}, RLIMIT_NOFILE=1024, RLIMIT_STACK=8 << 20) == {}


def test_a_quota_that_tensorflow_does_not_know_of(site: Site, tmp_path: Path) -> None:
    files = v2(tmp_path, cpu_max="200000 100000\n")
    check = looked(site, tmp_path, files)["processors"]
    assert check.found == ("64 processors, of which 2 may be used (cgroup); TensorFlow starts pools of 64 threads")
    assert check.fix == "export TF_NUM_INTRAOP_THREADS=2 TF_NUM_INTEROP_THREADS=2 OMP_NUM_THREADS=2"
    site.variables.update({"TF_NUM_INTRAOP_THREADS": "2", "TF_NUM_INTEROP_THREADS": "2"})
    assert looked(site, tmp_path, files) == {}


def test_a_quota_that_is_wide_enough(site: Site, tmp_path: Path) -> None:
    assert looked(site, tmp_path, v2(tmp_path, cpu_max="4800000 100000\n")) == {}
    assert looked(site, tmp_path, v2(tmp_path, cpu_max="max 100000\n")) == {}


def test_a_quota_above_us_holds_too(tmp_path: Path) -> None:
    files = v2(tmp_path, cpu_max="max 100000\n") | {"sys/fs/cgroup/pods/cpu.max": "150000 100000\n"}
    assert processor_quota(machine(tmp_path, files)) == 1.5


def test_the_first_version_of_control_groups(tmp_path: Path) -> None:
    files = {
        "proc/self/mountinfo": V1 + V2,
        "proc/self/cgroup": "3:cpu,cpuacct:/job\n2:pids:/\n0::/other\n",
        "sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us": "400000",
        "sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us": "100000",
        "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "-1",
        "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000",
    }
    assert processor_quota(machine(tmp_path, files)) == 4.0


def test_a_container_that_sees_a_part_of_the_hierarchy(tmp_path: Path) -> None:
    files = {
        "proc/self/mountinfo": V2.replace(" / /sys", " /docker/abc /sys"),
        "proc/self/cgroup": "0::/docker/abc\n",
        "sys/fs/cgroup/cpu.max": "50000 100000\n",
    }
    assert processor_quota(machine(tmp_path, files)) == 0.5
    assert group_directories(machine(tmp_path), "cpu") == [f"{tmp_path}/sys/fs/cgroup"]


def test_variables_that_ask_for_too_many_threads(site: Site, tmp_path: Path) -> None:
    site.variables["OMP_NUM_THREADS"] = "128"
    assert "OMP_NUM_THREADS=128" in looked(site, tmp_path, v2(tmp_path))["processors"].found
    site.variables["OMP_NUM_THREADS"] = "64"
    assert looked(site, tmp_path, v2(tmp_path)) == {}


def test_a_group_that_allows_few_threads(site: Site, tmp_path: Path) -> None:
    check = looked(site, tmp_path, v2(tmp_path, pids_max="200\n", pids_current="12\n"))["threads"]
    assert "allows 200, 12 are in use; TensorFlow may start about 272" in check.found
    assert looked(site, tmp_path, v2(tmp_path, pids_max="4096\n", pids_current="12\n")) == {}


def test_a_user_who_may_start_few_threads(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    files = v2(tmp_path) | {"proc/7/status": f"Name:\tx\nUid:\t{os.getuid()}\t0\t0\t0\nThreads:\t900\n"}
    found = looked(site, tmp_path, files, RLIMIT_NPROC=1000)
    assert found["threads"].found.startswith("ulimit -u is 1,000, 900 are in use")
    assert looked(site, tmp_path, files, RLIMIT_NPROC=4000) == {}
