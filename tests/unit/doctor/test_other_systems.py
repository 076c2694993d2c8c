"""macOS and Windows, played by trees of files and by a Python from which everything is taken that Windows lacks."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.unit.doctor.site import Site
from whydied.doctor.all_checks import examine
from whydied.doctor.distributions import installed
from whydied.doctor.environment import Environment
from whydied.doctor.machine import Check, Machine
from whydied.doctor.other_systems import file_version, other_system_checks
from whydied.doctor.trial import heard
from whydied.doctor.wheels import misfit

PLAYER = Path(__file__).resolve().parents[2] / "fixtures" / "other_system.py"
RUNTIME = ("msvcp140.dll", "msvcp140_1.dll", "vcruntime140.dll", "vcruntime140_1.dll")


def of(site: Site, system: str, machine: str, **markers: str) -> tuple[Machine, Environment]:
    plain = site.environment()
    told = {**plain.markers, "platform_machine": machine, "platform_system": system, **markers}
    names = {"Windows": "win32", "Darwin": "darwin"}
    environment = plain._replace(markers={**told, "sys_platform": names[system]})
    return Machine(runs=site.root, root=site.root, system=system, architecture=machine), environment


def checks(site: Site, system: str, machine: str = "AMD64", **markers: str) -> dict[str, Check]:
    where, environment = of(site, system, machine, **markers)
    return {check.name: check for check in other_system_checks(where, environment, installed([site.directory]))}


def add_runtime(site: Site, version: tuple[int, int, int, int] = (14, 44, 35211, 0), without: str = "") -> None:
    place = site.root / "Windows" / "System32"
    place.mkdir(parents=True)
    numbers = struct.pack("<IIII", 0xFEEF04BD, 0x10000, version[0] << 16 | version[1], version[2] << 16 | version[3])
    for name in RUNTIME:
        if name != without:
            (place / name).write_bytes(b"MZ" + b"\0" * 100 + numbers)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


# Windows


def test_a_runtime_that_is_missing_breaks_the_import(site: Site) -> None:
    add_runtime(site, without="msvcp140_1.dll")
    found = checks(site, "Windows")["C++ runtime"]
    assert (found.status, found.found) == ("broken", "msvcp140_1.dll cannot be found")
    assert "DLL load failed" in (found.impact or "")


def test_a_runtime_that_is_too_old_for_a_new_tensorflow_is_a_risk(site: Site) -> None:
    site.add("tensorflow", "2.18.0")
    add_runtime(site, (14, 29, 30133, 0))
    found = checks(site, "Windows")["C++ runtime"]
    assert (found.status, found.found) == ("risk", "msvcp140.dll is 14.29.30133")


@pytest.mark.parametrize(("tensorflow", "version"), [("2.18.0", (14, 44, 1, 0)), ("2.10.1", (14, 29, 30133, 0))])
def test_a_runtime_that_fits_is_fine(site: Site, tensorflow: str, version: tuple[int, int, int, int]) -> None:
    site.add("tensorflow", tensorflow)
    add_runtime(site, version)
    assert checks(site, "Windows")["C++ runtime"].status == "ok"


def test_a_library_without_a_version_has_none(tmp_path: Path) -> None:
    (tmp_path / "plain.dll").write_bytes(b"MZ")
    assert file_version(tmp_path / "plain.dll") is None
    assert file_version(tmp_path / "missing.dll") is None


def test_a_gpu_is_not_used_by_a_new_tensorflow_on_windows(site: Site) -> None:
    site.add("tensorflow", "2.18.0")
    add_runtime(site)
    assert "gpu" not in checks(site, "Windows")
    (site.root / "Windows" / "System32" / "nvcuda.dll").write_bytes(b"MZ")
    assert checks(site, "Windows")["gpu"].status == "risk"


def test_a_python_for_32_bits_has_no_tensorflow(site: Site) -> None:
    add_runtime(site)
    assert checks(site, "Windows", bits="32")["python"].status == "broken"
    assert "python" not in checks(site, "Windows", bits="64")


@pytest.mark.parametrize(
    ("tag", "machine", "fits"),
    [
        ("cp311-cp311-win_amd64", "AMD64", True),
        ("cp311-cp311-win32", "AMD64", False),
        ("cp311-cp311-macosx_12_0_arm64", "arm64", True),
        ("cp311-cp311-macosx_10_15_x86_64", "arm64", False),
        ("cp311-cp311-macosx_11_0_universal2", "arm64", True),
    ],
)
def test_wheels_of_other_systems_are_told_by_their_tags(site: Site, tag: str, machine: str, fits: bool) -> None:
    _, environment = of(site, "Windows" if "win" in tag[12:16] else "Darwin", machine, bits="64")
    assert (misfit(tag, environment) is None) is fits


# macOS


def test_a_python_for_intel_on_an_apple_processor_is_told(site: Site) -> None:
    version = "Darwin Kernel Version 23.5.0: root:xnu-10063/RELEASE_ARM64_T6000"
    assert checks(site, "Darwin", "x86_64", platform_version=version)["processor"].status == "broken"
    assert "processor" not in checks(site, "Darwin", "arm64", platform_version=version)


def test_an_intel_mac_without_tensorflow_is_told_the_last_version(site: Site) -> None:
    version = "Darwin Kernel Version 22.1.0: root:xnu-8792/RELEASE_X86_64"
    assert "2.16" in checks(site, "Darwin", "x86_64", platform_version=version)["tensorflow"].found


@pytest.mark.parametrize(
    ("tensorflow", "metal", "status"),
    [("2.18.0", "1.1.0", "broken"), ("2.18.0", "1.2.0", None), ("2.17.1", "1.1.0", None), ("2.20.0", "1.2.0", "risk")],
)
def test_the_metal_plugin_must_fit(site: Site, tensorflow: str, metal: str, status: str | None) -> None:
    site.add("tensorflow", tensorflow)
    site.add("tensorflow-metal", metal)
    found = checks(site, "Darwin", "arm64").get("tensorflow-metal")
    assert (found.status if found else None) == status


# The whole of it.


def test_an_examination_elsewhere_asks_nothing_of_linux(site: Site) -> None:
    site.add("tensorflow", "2.18.0", ["numpy<2.1.0,>=1.26.0"])
    site.add("numpy", "2.2.0")
    machine, environment = of(site, "Windows", "AMD64", bits="64")
    found = examine(machine, environment)
    assert found.errors == ()
    told = {check.name: check.status for check in found.checks}
    assert told["numpy"] == "broken"
    assert told["C++ runtime"] == "broken"
    assert "swap" not in told


def played(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(PLAYER), *words], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("system", ["Windows", "Darwin"])
def test_the_doctor_runs_where_posix_is_missing(system: str) -> None:
    done = played(system, "doctor", "--json")
    told: dict[str, Any] = json.loads(done.stdout)
    assert told["internal_errors"] == []
    (found,) = [check for check in told["checks"] if check["name"] == "system"]
    assert found["found"].startswith(system)


def test_other_commands_say_that_they_need_linux() -> None:
    done = played("Windows", "run", "train.py")
    assert done.returncode == 2
    assert "needs Linux" in done.stderr
    assert "internal error" not in done.stderr


@pytest.mark.parametrize(
    ("status", "stderr", "word"),
    [
        (1, "ImportError: DLL load failed while importing _pywrap_tensorflow_internal: A dynamic link …", "Visual C++"),
        (1, "The TensorFlow library was compiled to use AVX instructions, but these aren't available", "conda-forge"),
        (0xC000001D, "", "conda-forge"),
        (-1073741795, "", "conda-forge"),
    ],
)
def test_an_import_without_a_supervisor_is_told_by_its_words(status: int, stderr: str, word: str) -> None:
    trial = heard(status, stderr)
    assert trial.ended == "failed"
    assert word in " ".join(trial.remedies)


def test_an_import_that_works_is_fine() -> None:
    assert heard(0, "").ended == "finished"
