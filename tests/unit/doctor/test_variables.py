from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.doctor.site import Site, wrong
from whydied.doctor.environment_variables import variable_checks


@pytest.fixture
def site(tmp_path: Path) -> Site:
    made = Site(tmp_path)
    made.add(
        "tensorflow", "2.21.0", files={"tensorflow/libtensorflow_cc.so.2": b"\0xla_dump_to\0xla_gpu_autotune_level\0"}
    )
    return made


def test_flags_that_xla_knows(site: Site) -> None:
    assert variable_checks(site.environment(), site.installed()) == []
    site.variables["XLA_FLAGS"] = "--xla_dump_to=/tmp/x --xla_gpu_autotune_level=0"
    assert wrong(variable_checks(site.environment(), site.installed())) == {}


def test_a_flag_that_it_does_not_know(site: Site) -> None:
    site.variables["XLA_FLAGS"] = "--xla_dump_to=/tmp/x --xla_gone=1"
    check = wrong(variable_checks(site.environment(), site.installed()))["XLA_FLAGS"]
    assert (check.status, check.found) == ("broken", "--xla_gone: tensorflow 2.21.0 has no such flag")
    assert check.fix == "export XLA_FLAGS='--xla_dump_to=/tmp/x'"


def test_without_the_library_nothing_is_claimed(site: Site) -> None:
    (site.directory / "tensorflow/libtensorflow_cc.so.2").unlink()
    site.variables["XLA_FLAGS"] = "--xla_gone=1"
    assert wrong(variable_checks(site.environment(), site.installed())) == {}
