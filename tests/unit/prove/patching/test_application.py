"""Fixes written into files and taken back: all of it or nothing, and nobody's work is lost."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from whydied.errors import NotEditable
from whydied.places import RunDirectory
from whydied.prove.patching import application
from whydied.prove.patching.application import applied, apply, undo
from whydied.prove.patching.rewritten_files import Rewritten

OLD, NEW = b"n = 1\n", b"n = 2\n"


@pytest.fixture
def run(tmp_path: Path) -> RunDirectory:
    directory = RunDirectory(tmp_path / "runs" / "one")
    directory.make()
    return directory


@pytest.fixture
def work(tmp_path: Path) -> Path:
    place = tmp_path / "work"
    place.mkdir()
    for name in ("train.py", "sizes.py"):
        (place / name).write_bytes(OLD)
    return place


def _content(place: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in place.iterdir()}


def test_a_file_is_written_with_a_backup_and_put_back(run: RunDirectory, work: Path) -> None:
    path = work / "train.py"
    os.chmod(path, 0o754)
    result = apply(run, "More", {str(path): Rewritten(OLD, NEW)})
    assert [(one.file, one.backup) for one in result.files] == [(str(path), f"{path}.whydied-backup")]
    assert _content(work) == {"train.py": NEW, "train.py.whydied-backup": OLD, "sizes.py": OLD}
    assert {stat.S_IMODE((work / name).stat().st_mode) for name in ("train.py", "train.py.whydied-backup")} == {0o754}
    assert applied(run) == [result]
    assert undo(run) == result
    assert _content(work) == {"train.py": OLD, "sizes.py": OLD}
    assert stat.S_IMODE(path.stat().st_mode) == 0o754
    assert applied(run) == []
    with pytest.raises(NotEditable, match="no fix of run one"):
        undo(run)


def test_an_older_backup_is_never_overwritten(run: RunDirectory, work: Path) -> None:
    path = work / "train.py"
    for name in ("train.py.whydied-backup", "train.py.whydied-backup-2"):
        (work / name).write_bytes(b"precious")
    (result,) = apply(run, "More", {str(path): Rewritten(OLD, NEW)}).files
    assert result.backup == f"{path}.whydied-backup-3"
    assert (work / "train.py.whydied-backup").read_bytes() == b"precious"
    undo(run)
    assert sorted(_content(work)) == ["sizes.py", "train.py", "train.py.whydied-backup", "train.py.whydied-backup-2"]


def test_the_last_fix_is_taken_back_first(run: RunDirectory, work: Path) -> None:
    for name in ("train.py", "sizes.py"):
        apply(run, name, {str(work / name): Rewritten(OLD, NEW)})
    assert undo(run).title == "sizes.py"
    assert _content(work) == {"train.py": NEW, "train.py.whydied-backup": OLD, "sizes.py": OLD}


def test_a_link_stays_one(run: RunDirectory, work: Path) -> None:
    link = work / "link.py"
    link.symlink_to("train.py")
    (result,) = apply(run, "More", {str(link): Rewritten(OLD, NEW)}).files
    assert result.file == str(work / "train.py")
    assert link.is_symlink()
    assert (work / "train.py").read_bytes() == NEW
    undo(run)
    assert link.is_symlink()
    assert link.read_bytes() == OLD


def test_read_only_is_respected(run: RunDirectory, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = work / "train.py"
    files = {str(work / "sizes.py"): Rewritten(OLD, NEW), str(path): Rewritten(OLD, NEW)}
    os.chmod(path, 0o444)
    with pytest.raises(NotEditable, match=r"train\.py is read-only"):
        apply(run, "More", files)
    os.chmod(path, 0o644)
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda place, mode: place != str(work) and allowed(place, mode))
    with pytest.raises(NotEditable, match=r"work is read-only: the backup"):
        apply(run, "More", files)
    assert _content(work) == {"train.py": OLD, "sizes.py": OLD}


@pytest.mark.parametrize("failing", [0, 1])
def test_all_files_are_written_or_none(
    run: RunDirectory, work: Path, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    files = {str(work / name): Rewritten(OLD, NEW) for name in ("train.py", "sizes.py")}
    put = application._put
    broken = list(files)[failing]

    def write(file: str, content: bytes) -> None:
        if file == broken and content == NEW:
            raise OSError(28, "No space left on device", file)
        put(file, content)

    monkeypatch.setattr(application, "_put", write)
    with pytest.raises(NotEditable, match="No space left on device"):
        apply(run, "More", files)
    assert _content(work) == {"train.py": OLD, "sizes.py": OLD}
    assert applied(run) == []


def test_a_file_that_changes_meanwhile_is_left_alone(run: RunDirectory, work: Path) -> None:
    with pytest.raises(NotEditable, match="is being changed"):
        apply(run, "More", {str(work / "train.py"): Rewritten(b"other\n", NEW)})
    with pytest.raises(NotEditable, match="No such file"):
        apply(run, "More", {str(work / "gone.py"): Rewritten(OLD, NEW)})
    with pytest.raises(NotEditable, match="is not a regular file"):
        apply(run, "More", {str(work): Rewritten(OLD, NEW)})
    assert _content(work) == {"train.py": OLD, "sizes.py": OLD}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("train.py", "was changed since the fix"),
        ("train.py.whydied-backup", "was changed since the fix"),
        ("", "is not there any more"),
    ],
)
def test_what_somebody_changed_is_not_put_back(run: RunDirectory, work: Path, name: str, said: str) -> None:
    files = {str(work / one): Rewritten(OLD, NEW) for one in ("sizes.py", "train.py")}
    apply(run, "More", files)
    if name:
        (work / name).write_bytes(b"mine\n")
    else:
        (work / "train.py.whydied-backup").unlink()
    before = _content(work)
    with pytest.raises(NotEditable, match=said):
        undo(run)
    assert _content(work) == before
    assert len(applied(run)) == 1


def test_a_run_that_cannot_be_written_to_costs_the_memory_only(tmp_path: Path, work: Path) -> None:
    nowhere = RunDirectory(tmp_path / "gone" / "run")
    apply(nowhere, "More", {str(work / "train.py"): Rewritten(OLD, NEW)})
    assert applied(nowhere) == []
    assert (work / "train.py.whydied-backup").read_bytes() == OLD
