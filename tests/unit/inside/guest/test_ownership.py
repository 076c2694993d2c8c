from __future__ import annotations

import json
import os
import sys
import types
from pathlib import Path

import pytest

import whydied.stream
from whydied.inside.guest.ownership import Ownership


def test_whose_code_it_is(tmp_path: Path) -> None:
    ownership = Ownership(str(tmp_path))
    mine = tmp_path / "train.py"
    assert ownership.owned(str(mine), False) == str(mine)
    assert ownership.owned("train.py", False) == str(mine)
    for foreign in (
        json.__file__,
        whydied.stream.__file__,
        "/x/lib/python3/site-packages/a/b.py",
        "/usr/lib/python3/dist-packages/a.py",
        "/tmp/__autograph_generated_fileabc.py",
        "<frozen importlib._bootstrap>",
        "<attrs generated init>",
        "zmq/backend/cython/_zmq.py",
    ):
        assert ownership.owned(foreign, False) is None
    assert ownership.owned("<string>", True) == "<string>"
    assert ownership.owned("<frozen runpy>", True) is None


def test_generated_code_of_a_program_with_a_file_is_not_the_users() -> None:
    """What `dataclasses` writes runs in the namespace of the program, under the name <string>."""
    ownership = Ownership("/home/ann")
    main = types.ModuleType("__main__")
    main.__file__ = "/home/ann/train.py"
    ownership.main_found(main)
    assert ownership.owned("<string>", True) is None
    ownership.in_notebook()
    assert ownership.owned("<ipython-input-1-abc>", True) == "<ipython-input-1-abc>"


def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    ownership = Ownership(str(tmp_path / "link"))
    assert ownership.owned("a.py", False) == str(tmp_path / "real" / "a.py")


@pytest.mark.parametrize("package", ["trainer", "trainer.cli"])
def test_the_package_that_owns_main_is_the_users(package: str, tmp_path: Path) -> None:
    root = tmp_path / "site-packages" / "trainer"
    main = types.ModuleType("__main__")
    main.__package__ = package
    main.__file__ = str(root.joinpath(*package.split(".")[1:], "__main__.py"))
    ownership = Ownership(str(tmp_path))
    inner = str(root / "model" / "net.py")
    assert ownership.owned(inner, False) is None
    ownership.main_found(main)
    assert ownership.owned(inner, False) == inner
    assert ownership.owned(str(tmp_path / "site-packages" / "other.py"), False) is None


def test_the_running_frame_is_ours_to_judge() -> None:
    ownership = Ownership(os.getcwd())
    assert ownership.user_file(sys._getframe()) == os.path.realpath(__file__)
