"""A file of the program that was imported in the place of a library's module."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from whydied.inside.errors.packages.shadowed_modules import shadowed
from whydied.inside.guest.ownership import Ownership


def missing_in(name: str, file: Path) -> AttributeError:
    module = ModuleType(name)
    module.__file__ = str(file)
    return AttributeError(f"module '{name}' has no attribute 'x'", name="x", obj=module)


def test_a_module_of_the_standard_library_is_shadowed_by_a_file_of_the_program(tmp_path: Path) -> None:
    found = shadowed(0, missing_in("numbers", tmp_path / "numbers.py"), [], Ownership(str(tmp_path)))
    assert found is not None
    assert (found.module, found.meant) == ("numbers", "the standard library")


def test_a_package_further_down_the_path_is_shadowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "site-packages" / "zoo").mkdir(parents=True)
    (tmp_path / "site-packages" / "zoo" / "__init__.py").write_text("")
    own = tmp_path / "own"
    own.mkdir()
    monkeypatch.setattr(sys, "path", [str(own), str(tmp_path / "site-packages")])
    found = shadowed(0, missing_in("zoo", own / "zoo.py"), [], Ownership(str(own)))
    assert found is not None
    assert found.meant == str(tmp_path / "site-packages" / "zoo" / "__init__.py")


def test_a_module_that_nothing_else_has_the_name_of_is_not_shadowing(tmp_path: Path) -> None:
    ownership = Ownership(str(tmp_path))
    assert shadowed(0, missing_in("helpers_of_ann", tmp_path / "helpers_of_ann.py"), [], ownership) is None
    assert shadowed(0, missing_in("numbers", Path("/usr/lib/python3/site-packages/numbers.py")), [], ownership) is None
    assert shadowed(0, ValueError("x"), [], ownership) is None


def test_a_module_whose_import_failed_is_found_on_the_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "colorsys.py"
    names: dict[str, Any] = {"__name__": "colorsys", "__file__": str(file)}
    exec(compile("import sys\nframe = sys._getframe()\n", str(file), "exec"), names)
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    error = ModuleNotFoundError("No module named 'colorsys.x'; 'colorsys' is not a package", name="colorsys.x")
    found = shadowed(0, error, [names["frame"]], Ownership(str(tmp_path)))
    assert found is not None
    assert found.module == "colorsys"
    assert shadowed(0, error, [], Ownership(str(tmp_path))) is None


def running(name: str, file: Path) -> Any:
    """A frame at the level of a module."""
    names: dict[str, Any] = {"__name__": name, "__file__": str(file)}
    exec(compile("import sys\nframe = sys._getframe()\n", str(file), "exec"), names)
    return names["frame"]


def test_a_file_that_a_library_imports_is_in_the_place_of_another(tmp_path: Path) -> None:
    library = running("tensorflow.io", Path("/usr/lib/python3/site-packages/tensorflow/io.py"))
    own = running("base64", tmp_path / "base64.py")
    error = AttributeError("partially initialized module 'tensorflow' has no attribute 'io'")
    found = shadowed(0, error, [running("__main__", tmp_path / "train.py"), library, own], Ownership(str(tmp_path)))
    assert found is not None
    assert (found.module, found.asked_by, found.imported) == ("base64", "tensorflow", None)


def test_a_part_of_a_package_that_is_the_programs_own_file(tmp_path: Path) -> None:
    own = running("colorsys", tmp_path / "colorsys.py")
    frames = [running("__main__", tmp_path / "train.py"), own]
    missed = ModuleNotFoundError("No module named 'tensorflow.colorsys'", name="tensorflow.colorsys")
    found = shadowed(0, missed, frames, Ownership(str(tmp_path)))
    assert found is not None
    assert found.imported is not None
    assert found.imported.file == str(tmp_path / "train.py")


def test_another_package_that_the_programs_own_file_misses_is_not_hidden(tmp_path: Path) -> None:
    frames = [running("__main__", tmp_path / "train.py"), running("colorsys", tmp_path / "colorsys.py")]
    missed = ModuleNotFoundError("No module named 'not_installed'", name="not_installed")
    assert shadowed(0, missed, frames, Ownership(str(tmp_path))) is None
