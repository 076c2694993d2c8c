"""What an import did not find, with modules and directories that are made for the test."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import FrameType, ModuleType

import pytest

from whydied.inside.errors.packages import import_facts, missing_packages

LIBRARY = """
try:
    import pydot_of_old as pydot
except ImportError:
    pydot = None

try:
    import json as found
except ImportError:
    found = None

limit = None


def here():
    import sys

    return sys._getframe()
"""


@pytest.fixture
def frame(tmp_path: Path) -> FrameType:
    path = tmp_path / "library.py"
    path.write_text(LIBRARY)
    module = ModuleType("library")
    exec(compile(LIBRARY, str(path), "exec"), module.__dict__)
    frame: FrameType = module.__dict__["here"]()
    return frame


def test_names_that_hold_none_after_a_failed_import_are_read_from_the_source(frame: FrameType) -> None:
    assert missing_packages._tried(frame) == [("pydot", "pydot_of_old")]


def test_a_library_that_says_what_it_lacks_is_believed_by_its_own_import(frame: FrameType) -> None:
    found = missing_packages._optional(0, "You must install pydot for `plot_model` to work.", frame, "library")
    assert found is not None
    assert (found.module, found.wanted_by) == ("pydot_of_old", "library")
    assert missing_packages._optional(0, "cannot import name 'x'", frame, "library") is None


def test_a_package_that_is_there_is_not_missing() -> None:
    assert missing_packages._not_found(0, "msgspec.nothing", "") is None
    assert missing_packages._not_found(0, "google.colab.drive", "") is not None


def test_a_module_around_the_program_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "src" / "helpers").mkdir(parents=True)
    (tmp_path / "src" / "helpers" / "tools.py").write_text("")
    (tmp_path / "src" / "loaders.py").write_text("")
    monkeypatch.chdir(tmp_path)
    assert missing_packages._nearby("helpers.tools") == str(tmp_path / "src" / "helpers")
    assert missing_packages._nearby("loaders") == str(tmp_path / "src" / "loaders.py")
    assert missing_packages._nearby("nothing_of_that_name") == ""


def test_requirements_come_from_metadata_without_extras(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    papers = tmp_path / "tensorflow_cpu-2.19.0.dist-info"
    papers.mkdir()
    (papers / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: tensorflow_cpu\nVersion: 2.19.0\nRequires-Dist: protobuf<6,>=3.20.3\n"
        "Requires-Dist: nvidia-cudnn-cu12==9.3; extra == 'and-cuda'\n\nRequires-Dist: in the description\n"
    )
    monkeypatch.setattr(sys, "path", [os.fspath(tmp_path)])
    found = import_facts._package("tensorflow", import_facts._installed())
    assert found is not None
    assert (found.name, found.version, found.requires) == ("tensorflow-cpu", "2.19.0", ["protobuf<6,>=3.20.3"])
