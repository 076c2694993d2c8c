from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.doctor.site import Site, wrong
from whydied.doctor.requirements import requirement_checks


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def found(site: Site) -> dict[str, tuple[str, str]]:
    checks = wrong(requirement_checks(site.environment(), site.installed()))
    return {name: (check.status, check.found) for name, check in checks.items()}


def test_without_tensorflow_there_is_nothing_to_say(site: Site) -> None:
    site.add("pandas", "2.2.0", ["numpy<2"])
    assert requirement_checks(site.environment(), site.installed()) == []


def test_all_is_there(site: Site) -> None:
    site.add("tensorflow_cpu", "2.17.0", ["numpy<2.0.0,>=1.23.5; python_version <= '3.11'", "ml_dtypes (>=0.3.1)"])
    site.add("numpy", "1.26.4")
    site.add("ml-dtypes", "0.4.0")
    checks = requirement_checks(site.environment(), site.installed())
    assert [check.status for check in checks] == ["ok"]
    assert "tensorflow-cpu 2.17.0" in checks[0].found


def test_a_version_that_does_not_fit(site: Site) -> None:
    site.add("tensorflow", "2.17.0", ["numpy<2.0.0,>=1.23.5", "requests>=2.21"])
    site.add("numpy", "2.1.0")
    site.add("requests", "2.20")
    assert found(site) == {
        "numpy": ("broken", "2.1.0; tensorflow 2.17.0 requires <2.0.0,>=1.23.5"),
        "requests": ("risk", "2.20; tensorflow 2.17.0 requires >=2.21"),
    }


def test_the_command_suits_all_who_ask(site: Site) -> None:
    site.add("tensorflow", "2.16.1", ["protobuf>=3.20.3,<5,!=4.21.0", "tensorboard"])
    site.add("tensorboard", "2.16.2", ["protobuf!=4.24.0,>=3.19.6"])
    site.add("protobuf", "5.29.0")
    check = wrong(requirement_checks(site.environment(), site.installed()))["protobuf"]
    command, _, asked = (check.fix or "").partition(" install ")
    assert command == f"{site.root}/bin/python -m pip"
    assert set(asked.strip("'").removeprefix("protobuf").split(",")) == {
        ">=3.20.3",
        "<5",
        "!=4.21.0",
        "!=4.24.0",
        ">=3.19.6",
    }


def test_what_is_missing(site: Site) -> None:
    site.add("tensorflow", "2.21.0", ["absl-py>=1.0.0", "libclang>=13.0.0"])
    assert found(site) == {
        "absl-py": ("broken", "not installed; tensorflow 2.21.0 requires it"),
        "libclang": ("risk", "not installed; tensorflow 2.21.0 requires it"),
    }


def test_a_tree_that_was_never_installed_is_one_answer(site: Site) -> None:
    site.add("tensorflow", "2.21.0", ["absl-py>=1.0.0", "six", "wrapt>=1.11", "termcolor", "numpy<2", "libclang"])
    site.add("numpy", "2.1")
    checks = wrong(requirement_checks(site.environment(), site.installed()))
    assert set(checks) == {"missing packages", "numpy", "libclang"}
    assert checks["missing packages"].found.startswith("absl-py, six, wrapt, termcolor are not installed; tensorflow")
    assert (checks["missing packages"].fix or "").endswith("install 'absl-py>=1.0.0' 'six' 'wrapt>=1.11' 'termcolor'")


def test_what_holds_on_other_systems_or_for_extras_is_not_asked(site: Site) -> None:
    site.add(
        "tensorflow",
        "2.21.0",
        [
            "tensorflow-intel==2.21.0; platform_system == 'Windows'",
            "nvidia-cudnn-cu12<10.0,>=9.3; extra == 'and-cuda'",
            "numpy<1; python_version < '3.8'",
            "this is not a requirement",
        ],
    )
    assert found(site) == {}


def test_parts_of_parts_are_asked_too(site: Site) -> None:
    site.add("keras", "3.5.0", ["h5py"])
    site.add("h5py", "3.12.1", ["numpy>=1.19.3"])
    site.add("numpy", "1.17.0")
    assert found(site)["numpy"] == ("broken", "1.17.0; h5py 3.12.1 requires >=1.19.3")


def test_packages_beside_tensorflow_are_not_its_business(site: Site) -> None:
    site.add("tensorflow", "2.21.0", ["numpy>=1.26.0"])
    site.add("numpy", "2.1.0")
    site.add("pandas", "1.5.0", ["numpy<2"])
    assert found(site) == {}


def test_who_else_wants_another_version_is_named(site: Site) -> None:
    site.add("tensorflow", "2.21.0", ["protobuf<8.0.0,>=6.31.1"])
    site.add("streamlit", "1.20.0", ["protobuf<4,>=3.12"])
    site.add("grpcio-tools", "1.70", ["protobuf<7,>=3.20"])
    site.add("protobuf", "3.20.3")
    status, words = found(site)["protobuf"]
    assert status == "broken"
    assert words.endswith("; streamlit 1.20.0 requires <4,>=3.12, which excludes that")


def test_the_processor_only_package_stands_for_the_plain_one(site: Site) -> None:
    site.add("tensorflow-cpu", "2.19.0")
    site.add("tf-keras", "2.19.0", ["tensorflow<2.20,>=2.19"])
    assert found(site) == {}


def test_a_keras_for_another_tensorflow_is_what_changes(site: Site) -> None:
    site.add("tensorflow-cpu", "2.19.0")
    site.add("tf-keras", "2.20.0", ["tensorflow<2.21,>=2.20"])
    check = wrong(requirement_checks(site.environment(), site.installed()))["tensorflow-cpu"]
    assert (check.status, check.found) == ("risk", "2.19.0; tf-keras 2.20.0 requires <2.21,>=2.20")
    assert (check.fix or "").endswith("install 'tf-keras==2.19.*'")


def test_a_python_that_does_not_fit(site: Site) -> None:
    site.add("tensorflow", "2.21.0", requires_python=">=3.12")
    assert found(site)["tensorflow"] == ("broken", "2.21.0 requires Python >=3.12; this is 3.11.7")


def test_strange_versions_are_left_alone(site: Site) -> None:
    site.add("tensorflow", "2.21.0", ["numpy>=1.26"])
    site.add("numpy", "local-build")
    assert found(site) == {}
