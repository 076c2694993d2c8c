from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def generator(project: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_docs", project / "scripts" / "generate_docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_the_generated_pages_are_current(generator: ModuleType, project: Path) -> None:
    assert generator.differences(project / "docs") == [], "run: python scripts/generate_docs.py"


def test_what_is_not_current_is_noticed(generator: ModuleType, project: Path, tmp_path: Path) -> None:
    generator.write(tmp_path)
    assert generator.differences(tmp_path) == []
    (tmp_path / "rules" / "XYZ999.md").write_text("old")
    (tmp_path / "rules" / "MEM001.md").write_text("changed")
    shutil.move(tmp_path / "rules.md", tmp_path / "moved.md")
    assert generator.differences(tmp_path) == [
        "docs/rules/XYZ999.md is left over",
        "docs/rules/MEM001.md is not current",
        "docs/rules.md is missing",
    ]
    generator.write(tmp_path)
    assert generator.differences(tmp_path) == []
