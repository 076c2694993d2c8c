from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.unit.doctor.site import Site, wrong
from whydied.doctor.wheels import misfit, wheel_checks


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


@pytest.mark.parametrize(
    "tag",
    [
        "cp311-cp311-manylinux_2_17_x86_64",
        "cp311-cp311-manylinux2014_x86_64",
        "cp39-abi3-manylinux_2_28_x86_64",
        "py3-none-any",
        "py3-none-linux_x86_64",
        "cp311-cp311-linux_x86_64",
    ],
)
def test_wheels_that_fit(site: Site, tag: str) -> None:
    assert misfit(tag, site.environment()) is None


@pytest.mark.parametrize(
    ("tag", "reason"),
    [
        ("cp310-cp310-manylinux_2_17_x86_64", "Python 3.10; this is Python 3.11.7"),
        ("cp311-cp311t-manylinux_2_17_x86_64", "Python 3.11 free-threaded; this is Python 3.11.7"),
        ("cp312-abi3-manylinux_2_17_x86_64", "Python 3.12 or newer; this is Python 3.11.7"),
        ("cp311-cp311-manylinux_2_17_aarch64", "manylinux_2_17_aarch64; this machine is x86_64"),
        ("cp311-cp311-manylinux_2_39_x86_64", "glibc 2.39 or newer; this system has 2.36"),
        ("cp311-cp311-musllinux_1_1_x86_64", "musllinux_1_1_x86_64 (musl); this system has glibc 2.36"),
    ],
)
def test_wheels_that_do_not(site: Site, tag: str, reason: str) -> None:
    assert misfit(tag, site.environment()) == reason


def test_glibc_on_a_system_without_it(site: Site) -> None:
    reason = misfit("cp311-cp311-manylinux2014_x86_64", site.environment(glibc="")) or ""
    assert reason.startswith("glibc 2.17 or newer; this system has another C library")


def test_a_package_of_another_python(site: Site) -> None:
    site.add("numpy", "1.26.4", tag="cp310-cp310-manylinux_2_17_x86_64")
    found = wrong(wheel_checks(site.environment(), site.installed(), None))
    assert found["numpy"].status == "broken"
    assert "was built for Python 3.10; this is Python 3.11.7" in found["numpy"].found


def test_one_tag_of_several_is_enough(site: Site) -> None:
    site.add("protobuf", "5.0", tag="cp38.cp311-abi3.cp311-manylinux2014_x86_64.manylinux1_x86_64")
    assert wrong(wheel_checks(site.environment(), site.installed(), None)) == {}


def test_two_packages_in_one_directory(site: Site) -> None:
    files = {"tensorflow/__init__.py": ""}
    site.add("tensorflow", "2.15.0", files=files)
    site.add("tensorflow-cpu", "2.18.0", files=files)
    check = wrong(wheel_checks(site.environment(), site.installed(), None))["tensorflow"]
    assert (check.status, check.found) == (
        "broken",
        "tensorflow 2.15.0 and tensorflow-cpu 2.18.0 are both installed and share the directory tensorflow/",
    )
    assert "install tensorflow==2.15.0" in (check.fix or "")


def test_a_package_that_only_points_at_another_shares_nothing(site: Site) -> None:
    site.add("tensorflow", "2.15.0")
    site.add("tensorflow-intel", "2.15.0", files={"tensorflow/__init__.py": ""})
    assert wrong(wheel_checks(site.environment(), site.installed(), None)) == {}


def test_papers_of_two_versions(site: Site) -> None:
    site.add("numpy", "1.26.4")
    site.add("numpy", "2.0.0")
    assert "1.26.4 and 2.0.0" in wrong(wheel_checks(site.environment(), site.installed(), None))["numpy"].found


def test_the_same_package_further_down_the_path_is_no_mixture(site: Site, tmp_path: Path) -> None:
    other = Site(tmp_path / "other")
    site.add("numpy", "1.26.4")
    other.add("numpy", "2.0.0")
    environment = site.environment(paths=(site.directory, other.directory))
    from whydied.doctor.distributions import installed

    assert wrong(wheel_checks(environment, installed(environment.paths), None)) == {}


def test_what_pip_left_over(site: Site) -> None:
    (site.directory / "~umpy").mkdir()
    (site.directory / "~ip").mkdir()
    found = wrong(wheel_checks(site.environment(), site.installed(), None))["left over"].found
    assert found == f"~umpy in {site.directory}"


def test_packages_of_another_python_on_the_path(site: Site, tmp_path: Path) -> None:
    foreign = tmp_path / "python3.8" / "site-packages"
    foreign.mkdir(parents=True)
    environment = site.environment(
        paths=(foreign, site.directory), variables={"PYTHONPATH": str(foreign)}, version=(3, 11, 7)
    )
    found = wrong(wheel_checks(environment, site.installed(), None))
    assert f"{foreign} belongs to Python 3.8" in found["search path"].found


def test_a_file_that_hides_a_package(site: Site, tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "keras").mkdir()
    assert wrong(wheel_checks(site.environment(), site.installed(), work)) == {}
    (work / "tensorflow.py").write_text("import tensorflow\n")
    check = wrong(wheel_checks(site.environment(), site.installed(), work))["shadow"]
    assert check.found == f"{work / 'tensorflow.py'} has the name of an installed package"
    assert check.fix == f"mv {work / 'tensorflow.py'} {work}/my_tensorflow.py"


def test_a_directory_of_packages_on_pythonpath_hides_nothing(site: Site) -> None:
    site.add("numpy", "2.0.0", files={"numpy/__init__.py": ""})
    site.variables["PYTHONPATH"] = os.pathsep + str(site.directory)
    assert wrong(wheel_checks(site.environment(), site.installed(), None)) == {}
