"""The file system as a program in the sandbox sees it: everything at its place, and all writes in the scratch
directory. Runs in the namespaces of the sandbox, before the program.

A directory with no mount below it is an overlay: the real one below, an empty one on top. The kernel refuses an overlay
over a directory that other file systems are mounted in, so such a directory (always `/`) is made anew: its
subdirectories follow the same rule, its files are copied if they are small and else shown read-only. What cannot be the
lower layer of an overlay is shown read-only, with a note. Real sockets cannot be reached through an overlay.

Invariant: no real directory is writable in the new tree but those that were asked for.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Callable, Collection, Iterator
from typing import Protocol

from whydied.linux import system_calls
from whydied.linux.system_calls import MS_NODEV, MS_NOSUID

APART = ("/proc", "/sys", "/dev")
"""Made by `kernel_files`."""
LARGEST_COPY_BYTES = 1 << 20


class Layers(Protocol):
    """What `build` needs from the kernel, so that its plan can be tested without one."""

    def overlay(self, real: str, new: str) -> None: ...
    def read_only(self, real: str, new: str) -> None: ...


class KernelLayers:
    """Overlays with their upper layers in a directory of ours."""

    def __init__(self, home: str, used: Collection[str] = ()) -> None:
        """`used` are directories in which the program will want to write."""
        self._home, self._used = home, used
        self._number = 0

    def overlay(self, real: str, new: str) -> None:
        self._number += 1
        own = f"{self._home}/layers/{self._number}"
        for name in ("upper", "work"):
            os.makedirs(f"{own}/{name}")
        self._begin(f"{own}/upper", real)
        # By descriptors: a comma or a colon in a path would mean something to the kernel.
        with _opened(real) as lower, _opened(own) as layer:
            options = f"lowerdir={lower},upperdir={layer}/upper,workdir={layer}/work,userxattr"
            system_calls.mount("overlay", new, "overlay", MS_NOSUID | MS_NODEV, options)

    def _begin(self, upper: str, real: str) -> None:
        """The kernel copies the directories that lead to a file into the upper layer before the file, and cannot where
        their owner has no number in the namespace. So those to the directories in use are there before."""
        used = [path for path in self._used if path.startswith(f"{real}/")]
        places = {real, *(parent for path in used for parent in (path, *_parents(path)) if len(parent) > len(real))}
        for place in sorted(places):
            os.makedirs(upper + place.removeprefix(real), exist_ok=True)
        for place in sorted(places, reverse=True):
            _resemble(upper + place.removeprefix(real), place)

    def read_only(self, real: str, new: str) -> None:
        system_calls.bind(real, new)
        system_calls.make_read_only(new)


def build(
    new_root: str,
    layers: Layers,
    points: Collection[str],
    note: Callable[[str], None],
    root: str = "/",
    apart: Collection[str] = APART,
) -> None:
    """Fill `new_root` from `root`. `points` are the mount points."""
    crowded = {parent for point in points for parent in _parents(point)}
    _Building(new_root, layers, note, set(points), crowded, set(apart)).directory(root)


class _Building:
    def __init__(
        self,
        new_root: str,
        layers: Layers,
        note: Callable[[str], None],
        points: set[str],
        crowded: set[str],
        apart: set[str],
    ) -> None:
        self._new_root, self._layers, self._note = new_root, layers, note
        self._points, self._crowded, self._apart = points, crowded, apart

    def directory(self, path: str) -> None:
        new = self._new_root + path
        try:
            is_read_only = bool(os.statvfs(path).f_flag & os.ST_RDONLY)
        except OSError:
            # Somebody else's mount (FUSE), or a directory that is gone.
            os.makedirs(new, exist_ok=True)
            return
        os.makedirs(new, exist_ok=True)
        if path in self._apart:
            return
        if path not in self._crowded:
            self._leaf(path, new, is_read_only)
            return
        try:
            entries = sorted(os.scandir(path), key=lambda entry: entry.name)
        except OSError:
            # Not readable for us, so neither for the program; what is mounted below it can be.
            below = [point for point in self._points | self._crowded if os.path.dirname(point) == path]
            for point in sorted(below):
                self.directory(point)
            return
        for entry in entries:
            self._entry(entry)
        _resemble(new, path)

    def _leaf(self, path: str, new: str, is_read_only: bool) -> None:
        if not is_read_only:
            try:
                self._layers.overlay(path, new)
                return
            except OSError as error:
                self._note(f"{path} is read-only inside: it cannot be overlaid ({error.strerror})")
        self._layers.read_only(path, new)

    def _entry(self, entry: os.DirEntry[str]) -> None:
        new = self._new_root + entry.path
        # Gone meanwhile, or not for us: then not there inside.
        with contextlib.suppress(FileNotFoundError, PermissionError):
            if entry.is_symlink():
                os.symlink(os.readlink(entry.path), new)
            elif entry.is_dir():
                self.directory(entry.path)
            else:
                self._file(entry.path, new, os.stat(entry.path))

    def _file(self, path: str, new: str, seen: os.stat_result) -> None:
        if not stat.S_ISREG(seen.st_mode):
            # A socket or a pipe is a way to a process outside, a device one to the hardware.
            return
        with open(new, "xb"):
            pass
        if seen.st_size <= LARGEST_COPY_BYTES and os.access(path, os.R_OK):
            with contextlib.suppress(OSError):
                shutil.copyfile(path, new)
                _resemble(new, path)
                return
        self._layers.read_only(path, new)


def put_in_place(new_root: str, shown: dict[str, str], layers: Layers) -> None:
    """Show other files in the place of the user's: written through the overlay, where the file may be written."""
    for real, other in shown.items():
        place = new_root + os.path.realpath(real)
        try:
            with open(other, "rb") as source, open(place, "r+b" if os.path.exists(place) else "xb") as target:
                target.truncate()
                shutil.copyfileobj(source, target)
        except OSError:
            layers.read_only(other, place)


def keep_writable(new_root: str, directories: Collection[str]) -> None:
    for directory in directories:
        os.makedirs(new_root + directory, exist_ok=True)
        system_calls.bind(directory, new_root + directory)


def hide(new_root: str, directory: str, empty: str) -> None:
    """Show an empty directory in the place of another."""
    if os.path.isdir(new_root + directory):
        system_calls.bind(empty, new_root + directory)


def _parents(path: str) -> list[str]:
    found = []
    while path != "/":
        path = os.path.dirname(path)
        found.append(path)
    return found


def _resemble(made: str, real: str) -> None:
    """Give what we made the owner, mode and times of what it stands for. The namespace of an ordinary user knows no
    other owner: what is not theirs becomes theirs, with the rights that they have there."""
    seen = os.stat(real)
    mode = stat.S_IMODE(seen.st_mode)
    try:
        os.chown(made, seen.st_uid, seen.st_gid)
    except OSError:
        allowed = sum(bit for bit in (os.R_OK, os.W_OK, os.X_OK) if os.access(real, bit))
        mode = mode & ~0o7700 | allowed << 6 | mode & stat.S_ISVTX
    os.chmod(made, mode)
    os.utime(made, ns=(seen.st_atime_ns, seen.st_mtime_ns))


@contextlib.contextmanager
def _opened(path: str) -> Iterator[str]:
    fd = os.open(path, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{fd}"
    finally:
        os.close(fd)
