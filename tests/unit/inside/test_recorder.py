"""Modules of ours that the program would have found beside its script are forgotten."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

from whydied.inside import recorder


def test_the_directory_of_the_script_is_not_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shadowed_file.py").touch()
    (tmp_path / "shadowed_package").mkdir()
    (tmp_path / "shadowed_package" / "__init__.py").touch()
    (tmp_path / "only_a_directory").mkdir()
    for name in ("shadowed_file", "shadowed_package", "shadowed_package.part", "only_a_directory", "elsewhere"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    listed: list[object] = []
    monkeypatch.setattr(os, "listdir", lambda *given: listed.append(given) or [])
    monkeypatch.setattr(os, "scandir", lambda *given: listed.append(given) or iter(()))
    monkeypatch.setattr(recorder, "_program_directory", lambda: str(tmp_path))
    recorder._unshadow()
    assert listed == []
    left = [name for name in ("shadowed_file", "shadowed_package", "shadowed_package.part") if name in sys.modules]
    assert left == []
    assert {"only_a_directory", "elsewhere"} <= set(sys.modules)
