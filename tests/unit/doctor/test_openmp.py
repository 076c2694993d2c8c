from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.unit.doctor.site import Site
from whydied.doctor.machine import Check
from whydied.doctor.openmp import openmp_checks


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def check(site: Site) -> Check:
    (only,) = openmp_checks(site.environment(), site.installed())
    return only


def test_none_and_one(site: Site) -> None:
    assert check(site).status == "ok"
    site.add("intel-openmp", "2025.0", files={"../../libiomp5.so": "x"})
    assert (check(site).status, check(site).found) == ("ok", "libiomp5.so (intel-openmp)")


def test_two_of_one_kind_under_different_names(site: Site) -> None:
    site.add("intel-openmp", "2025.0", files={"../../libiomp5.so": "x"})
    site.add("faiss-cpu", "1.8", files={"faiss_cpu.libs/libomp-5f2a1c3b.so.5": "y"})
    answer = check(site)
    assert answer.status == "broken"
    assert (
        answer.found
        == "two runtimes of one kind: libomp-5f2a1c3b.so.5 from faiss-cpu and libiomp5.so from intel-openmp"
    )
    assert "Error #15" in (answer.impact or "")
    site.variables["KMP_DUPLICATE_LIB_OK"] = "TRUE"
    assert "wrong results" in (check(site).impact or "")


def test_two_that_the_loader_may_join(site: Site) -> None:
    site.add("intel-openmp", "2025.0", files={"../../libiomp5.so": "x"})
    site.add("torch", "2.0", files={"torch/lib/libiomp5.so": "x"})
    assert check(site).status == "risk"


def test_what_lives_together(site: Site) -> None:
    site.add("torch", "2.5", files={"torch/lib/libgomp-a34b3233.so.1": "x", "torch/lib/libiomp5.so": "y"})
    site.add("scikit-learn", "1.5", files={"scikit_learn.libs/libgomp-d22c30c5.so.1.0.0": "x"})
    site.add("intel-openmp", "2025.0", files={"../../libiompstubs5.so": "x", "../../libomptarget.so": "x"})
    assert check(site).status == "ok"


def test_a_link_under_a_second_name_is_the_same_runtime(site: Site) -> None:
    (site.root / "conda-meta").mkdir()
    (site.root / "lib/libomp.so").write_text("x")
    os.symlink("libomp.so", site.root / "lib/libiomp5.so")
    site.add("llvm-openmp", "19", files={"../../libomp.so": "x"})
    assert check(site).status == "ok"


def test_conda_beside_pip(site: Site) -> None:
    (site.root / "conda-meta").mkdir()
    (site.root / "lib/libiomp5.so").write_text("x")
    site.add("faiss-cpu", "1.8", files={"faiss_cpu.libs/libomp-5f2a1c3b.so.5": "y"})
    assert "libiomp5.so from conda" in check(site).found


def test_the_switch_alone_is_a_risk(site: Site) -> None:
    site.variables["KMP_DUPLICATE_LIB_OK"] = "True"
    assert check(site).status == "risk"
