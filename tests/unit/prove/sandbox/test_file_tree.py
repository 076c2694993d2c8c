"""Which directory of the machine becomes an overlay, which is made anew, which is read-only."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from whydied.prove.sandbox import file_tree


class Asked:
    """Notes what would be mounted, and refuses some overlays."""

    def __init__(self, top: Path, refused: tuple[str, ...] = ()) -> None:
        self._top, self._refused = top, refused
        self.overlays: list[str] = []
        self.shown: list[str] = []

    def overlay(self, real: str, new: str) -> None:
        if self._name(real) in self._refused:
            raise OSError(errno.EINVAL, "Invalid argument")
        assert os.path.isdir(new)
        self.overlays.append(self._name(real))

    def read_only(self, real: str, new: str) -> None:
        assert os.path.exists(new)
        self.shown.append(self._name(real))

    def _name(self, path: str) -> str:
        return str(Path(path).relative_to(self._top))


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    top = tmp_path / "machine"
    for name in ("etc", "home/user/project", "home/user/nfs", "proc", "usr/lib"):
        (top / name).mkdir(parents=True)
    (top / "bin").symlink_to("usr/bin")
    (top / "small").write_text("x")
    (top / "swapfile").write_bytes(bytes(file_tree.LARGEST_COPY_BYTES + 1))
    (top / "home/user/.bashrc").write_text("alias")
    os.mkfifo(top / "pipe")
    return top


def _build(machine: Path, points: tuple[str, ...], refused: tuple[str, ...] = ()) -> tuple[Asked, Path, list[str]]:
    new, notes = machine.parent / "new", list[str]()
    asked = Asked(machine, refused)
    every = {"/", str(machine), *(str(machine / point) for point in points)}
    file_tree.build(str(new), asked, every, notes.append, root=str(machine), apart={str(machine / "proc")})
    return asked, Path(f"{new}{machine}"), notes


def test_a_directory_without_mounts_below_is_an_overlay(machine: Path) -> None:
    asked, new, notes = _build(machine, ("proc", "home"))
    assert asked.overlays == ["etc", "home", "usr"]
    assert os.readlink(new / "bin") == "usr/bin"
    assert (new / "small").read_text() == "x"
    assert asked.shown == ["swapfile"]
    assert not (new / "pipe").exists()
    assert notes == []


def test_a_directory_with_a_mount_below_is_made_anew(machine: Path) -> None:
    asked, new, _ = _build(machine, ("proc", "home/user/nfs"))
    assert asked.overlays == ["etc", "home/user/nfs", "home/user/project", "usr"]
    assert (new / "home/user/.bashrc").read_text() == "alias"


def test_what_cannot_be_overlaid_is_read_only_with_a_note(machine: Path) -> None:
    asked, _, notes = _build(machine, ("proc", "home"), refused=("home",))
    assert asked.overlays == ["etc", "usr"]
    assert asked.shown == ["home", "swapfile"]
    assert notes == [f"{machine}/home is read-only inside: it cannot be overlaid (Invalid argument)"]
