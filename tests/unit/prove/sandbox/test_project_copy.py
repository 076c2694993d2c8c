"""The copy of a project: small files, links to the rest, moved words."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from whydied.prove.sandbox import project_copy
from whydied.prove.sandbox.project_copy import Moved


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    for name in ("package", "data", ".git", "own"):
        (project / name).mkdir(parents=True)
    (project / "own" / "pyvenv.cfg").write_text("")
    (project / "train.py").write_text("RATE = 1\n")
    (project / "package" / "model.py").write_text("x = 1\n")
    (project / "data" / "large.bin").write_bytes(bytes(64))
    (project / "inside").symlink_to("package/model.py")
    (project / "absolute").symlink_to(project / "train.py")
    (project / "outside").symlink_to("../elsewhere")
    os.mkfifo(project / "pipe")
    return project


def test_the_copy(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(project_copy, "LARGEST_FILE_BYTES", 32)
    copy, edited = tmp_path / "copy", tmp_path / "edited.py"
    edited.write_text("RATE = 2\n")
    Moved(str(project), str(copy)).make({str(project / "train.py"): str(edited)}, [])
    assert (copy / "train.py").read_text() == "RATE = 2\n"
    assert (project / "train.py").read_text() == "RATE = 1\n"
    assert not (copy / "package").is_symlink()
    links = {name: os.readlink(copy / name) for name in sorted(os.listdir(copy)) if (copy / name).is_symlink()}
    assert links == {
        ".git": str(project / ".git"),
        "absolute": str(copy / "train.py"),
        "inside": "package/model.py",
        "outside": str(tmp_path / "elsewhere"),
        "own": str(project / "own"),
    }
    assert os.readlink(copy / "data" / "large.bin") == str(project / "data" / "large.bin")
    assert not (copy / "pipe").exists()


def test_beyond_its_bounds_there_are_links(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(project_copy, "MOST_FILES", 0)
    copy = tmp_path / "copy"
    Moved(str(project), str(copy)).make({}, [])
    assert os.readlink(copy / "train.py") == str(project / "train.py")


def test_words_are_moved(project: Path, tmp_path: Path) -> None:
    moved = Moved(str(project), "/copy")
    words = [f"{project}/train.py", f"--data={project}/data", str(project), f"{project}-other", "train.py", "--x=1"]
    assert list(map(moved.word, words)) == [
        "/copy/train.py",
        "--data=/copy/data",
        "/copy",
        f"{project}-other",
        "train.py",
        "--x=1",
    ]


def test_a_file_outside_of_the_project_cannot_be_shown_edited(project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.py"
    other.write_text("")
    with pytest.raises(OSError, match="lies outside of the project"):
        Moved(str(project), str(tmp_path / "copy")).make({str(other): str(other)}, [])
    with pytest.raises(OSError, match="is a link out of the copy"):
        Moved(str(project), str(tmp_path / "second")).make({str(project / "own" / "x.py"): str(other)}, [])
