"""A copy of the user's project, for a sandbox that cannot show other files in the place of the user's; runs in the
first process of such a sandbox.

Small files are copied. What is large, and directories that are not the user's own work, are links to the originals,
which can be read but not written.

Invariant: nothing of the original changes.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Collection

LARGEST_FILE_BYTES = 16 << 20
LARGEST_BYTES = 200 << 20
MOST_FILES = 20_000
_LINKED = (".git", ".hg", ".svn", ".tox", ".venv", "venv", "env", "node_modules", "site-packages")


def moved_path(path: str, top: str, new: str) -> str:
    """An absolute path in `top` as one in `new`; any other as it is."""
    return new + path[len(top) :] if path == top or path.startswith(f"{top}/") else path


class Moved:
    def __init__(self, project: str, copy: str) -> None:
        self._project, self._copy = os.path.realpath(project), copy
        self._given = os.path.abspath(project)
        self._bytes = self._files = 0

    def word(self, word: str) -> str:
        """An argument or a path, moved if it leads into the project; also what follows the first `=`."""
        name, equals, value = word.partition("=")
        if equals and not os.path.isabs(word):
            return f"{name}={self._path(value)}"
        return self._path(word)

    def make(self, shown: dict[str, str], apart: Collection[str]) -> None:
        """Copy the project with other files in the place of some; directories of `apart` are linked."""
        self._directory(self._project, {os.path.realpath(path) for path in apart})
        for real, other in shown.items():
            place = self._path(os.path.realpath(real))
            if place == os.path.realpath(real):
                raise OSError(0, f"{real} lies outside of the project {self._given}, so it cannot be shown edited")
            self._replace(place, other)

    def _path(self, path: str) -> str:
        moved = moved_path(path, self._project, self._copy)
        return moved if moved != path else moved_path(path, self._given, self._copy)

    def _directory(self, directory: str, apart: set[str]) -> None:
        waiting = [directory]
        # In breadth: what lies near the top is the program, and is copied first.
        for current in waiting:
            os.mkdir(self._path(current))
            try:
                entries = sorted(os.scandir(current), key=lambda entry: entry.name)
            except OSError:
                continue
            for entry in entries:
                if entry.is_dir(follow_symlinks=False) and not self._is_linked(entry, apart):
                    self._files += 1
                    waiting.append(entry.path)
                else:
                    self._entry(entry)

    def _is_linked(self, entry: os.DirEntry[str], apart: set[str]) -> bool:
        return (
            entry.name in _LINKED
            or entry.path in apart
            or os.path.exists(f"{entry.path}/pyvenv.cfg")
            or self._files > MOST_FILES
        )

    def _entry(self, entry: os.DirEntry[str]) -> None:
        place = self._path(entry.path)
        if entry.is_symlink():
            target = os.readlink(entry.path)
            real = os.path.normpath(os.path.join(os.path.dirname(entry.path), target))
            is_kept = not os.path.isabs(target) and self._path(real) != real
            os.symlink(target if is_kept else self._path(real), place)
            return
        seen = entry.stat(follow_symlinks=False)
        is_small = seen.st_size <= LARGEST_FILE_BYTES and self._bytes + seen.st_size <= LARGEST_BYTES
        if stat.S_ISREG(seen.st_mode) and is_small and self._files < MOST_FILES and os.access(entry.path, os.R_OK):
            shutil.copy2(entry.path, place)
            self._bytes += seen.st_size
            self._files += 1
        elif stat.S_ISREG(seen.st_mode) or stat.S_ISDIR(seen.st_mode):
            os.symlink(entry.path, place)

    def _replace(self, place: str, other: str) -> None:
        above = os.path.dirname(place)
        if os.path.realpath(above) != above:
            raise OSError(0, f"{above} is a link out of the copy of the project, so no file in it can be shown edited")
        if os.path.lexists(place):
            os.unlink(place)
        shutil.copyfile(other, place)
