from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.doctor.site import CPUINFO, Site, machine, wrong
from whydied.doctor.machine import Check
from whydied.doctor.processor import baseline, processor_checks

WHEEL = "cp311-cp311-manylinux_2_27_x86_64"
BEFORE_AVX = (
    "model name\t: Intel(R) Celeron(R)  N4000\nflags\t\t: sse sse2 pni ssse3 sse4_1 sse4_2 popcnt cx16 lahf_lm\n"
)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path / "environment")


def checks(site: Site, root: Path, cpuinfo: str, architecture: str = "x86_64") -> dict[str, Check]:
    looked_at = machine(root, {"proc/cpuinfo": cpuinfo}, architecture=architecture)
    return wrong(processor_checks(looked_at, site.environment(), site.installed()))


def test_a_processor_without_avx(site: Site, tmp_path: Path) -> None:
    site.add("tensorflow-cpu", "2.21.0", tag=WHEEL)
    assert checks(site, tmp_path, CPUINFO) == {}
    check = checks(site, tmp_path, BEFORE_AVX)["processor"]
    assert (check.status, check.found) == (
        "broken",
        "it has no AVX, which tensorflow-cpu 2.21.0 uses (Intel(R) Celeron(R) N4000)",
    )


def test_every_processor_must_have_it(site: Site, tmp_path: Path) -> None:
    site.add("tensorflow", "2.21.0", tag=WHEEL)
    assert "AVX" in checks(site, tmp_path, CPUINFO + BEFORE_AVX)["processor"].found


@pytest.mark.parametrize(
    ("version", "tag", "architecture"),
    [("1.5.0", WHEEL, "x86_64"), ("2.21.0", "py3-none-any", "x86_64"), ("2.21.0", WHEEL, "aarch64")],
)
def test_builds_that_do_not_need_avx_or_do_not_say(
    site: Site, tmp_path: Path, version: str, tag: str, architecture: str
) -> None:
    site.add("tensorflow", version, tag=tag)
    assert checks(site, tmp_path, BEFORE_AVX, architecture) == {}


def test_numpy_states_its_baseline(site: Site, tmp_path: Path) -> None:
    binary = b"\0\1NumPy was built with baseline optimizations: \n(X86_V2) but your machine doesn't support:\n(%s).\0"
    site.add("numpy", "2.4.0", files={"numpy/_core/_multiarray_umath.cpython-311-x86_64-linux-gnu.so": binary})
    assert set(baseline(site.get("numpy"))) >= {"sse4_2", "popcnt"}
    assert checks(site, tmp_path, BEFORE_AVX) == {}
    assert (
        "SSE4.1, SSE4.2, which numpy 2.4.0 uses"
        in checks(site, tmp_path, "flags : sse pni ssse3 popcnt cx16 lahf_lm\n")["processor"].found
    )


def test_the_real_numpy_states_it_too() -> None:
    from whydied.doctor.distributions import installed
    from whydied.doctor.environment import own

    numpy = installed(own().paths).get("numpy")
    if numpy is None:
        pytest.skip("NumPy is not installed beside the tests")
    assert baseline(numpy)


def test_the_remedy_knows_virtual_machines(site: Site, tmp_path: Path) -> None:
    site.add("tensorflow", "2.21.0", tag=WHEEL)
    virtual = BEFORE_AVX.replace("flags\t\t:", "flags\t\t: hypervisor")
    assert "-cpu host" in (checks(site, tmp_path, virtual)["processor"].fix or "")
    assert "linux/arm64" in (checks(site, tmp_path, "vendor_id : VirtualApple\n" + virtual)["processor"].fix or "")


def test_a_processor_that_cannot_be_asked(site: Site, tmp_path: Path) -> None:
    assert checks(site, tmp_path, "")["processor"].status == "missing"
