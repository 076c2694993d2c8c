"""scripts/new_rule.py, in a copy of the project: what it begins is a whole rule, with a test that fails until the
rule is written."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture
def copy(project: Path, tmp_path: Path) -> Path:
    for name in ("src", "docs", "scripts"):
        shutil.copytree(project / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("tests/__init__.py", "tests/unit/__init__.py", "pyproject.toml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(project / name, tmp_path / name)
    here = tmp_path / "tests/unit/diagnose"
    here.mkdir()
    for name in ("__init__.py", "case_of.py", "test_registry.py"):
        shutil.copy(project / "tests/unit/diagnose" / name, here / name)
    return tmp_path


def run(copy: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(copy / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, *words], cwd=copy, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def test_a_rule_is_begun_whole(copy: Path) -> None:
    made = run(copy, "scripts/new_rule.py", "data", "frozen-labels", "explanation")
    assert made.returncode == 0, made.stderr
    code = made.stdout.split()[0]
    assert (copy / f"docs/rules/{code}.md").is_file()
    asked = run(copy, "-m", "whydied", "explain", "frozen-labels")
    assert asked.stdout.startswith("TODO: one line.")
    assert run(copy, "scripts/generate_docs.py", "--check").returncode == 0
    judged = run(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/unit/diagnose")
    assert "1 failed" in judged.stdout
    assert "FAILED tests/unit/diagnose/test_frozen_labels.py::test_it_is_found" in judged.stdout
    again = run(copy, "scripts/new_rule.py", "data", "frozen-labels", "explanation")
    assert again.returncode == 2


@pytest.mark.parametrize("words", [(), ("data", "frozen-labels", "reason"), ("nowhere", "frozen-labels", "cause")])
def test_what_it_does_not_understand_writes_nothing(copy: Path, words: tuple[str, ...]) -> None:
    before = sorted(copy.rglob("*"))
    refused = run(copy, "scripts/new_rule.py", *words)
    assert refused.returncode == 2
    assert "roles: death" in refused.stderr
    assert sorted(copy.rglob("*")) == before
