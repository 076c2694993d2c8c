"""Has a program read edited files in the place of the user's, while everything else is real; runs in the parent, and in
the program's process before it executes.

The files are mounted over the user's in a mount namespace that the program and its children alone are in, so whatever
reads a source finds the edited one: imports, `multiprocessing` that starts the script again, AutoGraph, tracebacks.
Nobody else sees it, and it is gone with the last of those processes.

Invariant: the user's files are not written. An ordinary user needs a user namespace for this, in which they stay who
they are.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Mapping

from whydied.linux import system_calls
from whydied.linux.system_calls import CLONE_NEWNS, CLONE_NEWUSER, MS_REC

_MS_SLAVE = 1 << 19
_SPREAD_S = 10_000_000


def written(place: str, files: Mapping[str, bytes]) -> dict[str, str]:
    """The contents in files of ours, by the paths of the user's. Python tells by time and size whether the compiled
    file beside a module is of this source: the time differs from the original's, and for each content."""
    os.makedirs(place, 0o700)
    found = {}
    for number, (path, data) in enumerate(files.items()):
        found[path] = os.path.join(place, f"{number}-{os.path.basename(path)}")
        with open(found[path], "wb") as file:
            file.write(data)
        seen = os.stat(path)
        os.chmod(found[path], seen.st_mode & 0o777)
        earlier_s = int(seen.st_mtime) - 1 - zlib.crc32(data) % _SPREAD_S
        os.utime(found[path], (earlier_s, earlier_s))
    return found


def showing(shown: Mapping[str, str]) -> Callable[[], None]:
    """What a process does to see the files, and whatever it starts with it. Raises OSError where it may not."""
    user, group = os.geteuid(), os.getegid()
    places = {os.path.realpath(real): other for real, other in shown.items()}

    def enter() -> None:
        try:
            system_calls.unshare(CLONE_NEWNS)
        except PermissionError:
            system_calls.unshare(CLONE_NEWUSER | CLONE_NEWNS)
            for name, text in (
                ("setgroups", "deny"),
                ("uid_map", f"{user} {user} 1"),
                ("gid_map", f"{group} {group} 1"),
            ):
                with open(f"/proc/self/{name}", "w") as file:
                    file.write(text)
        # What is mounted later still comes in; nothing of ours goes out.
        system_calls.mount("none", "/", flags=MS_REC | _MS_SLAVE)
        for place, other in places.items():
            system_calls.bind(other, place)

    return enter


def is_possible() -> bool:
    """Whether a process may do that here, tried with one."""
    enter = showing({})
    pid = os.fork()
    if pid == 0:
        try:
            enter()
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitpid(pid, 0)[1] == 0
