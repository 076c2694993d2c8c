"""Files that only this process sees changed: layers over the places where programs write, gone with the process; runs
in a copy of the user's process.

Invariant: outside of those places nothing can be written. Where the kernel does not allow it (no namespaces for this
user) it raises an OSError, and the process is of no further use: half of it may be done.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from whydied.linux import system_calls
from whydied.linux.system_calls import CLONE_NEWNS, CLONE_NEWUSER, MS_NODEV, MS_NOSUID, MS_PRIVATE, MS_REC

LARGEST_BYTES = 1 << 30
"""Of all that is written; it takes memory."""


def keep_private(places: Iterable[str], scratch: str) -> None:
    """Let what is written below some directories stay with this process and those that come of it. `scratch` is a
    directory that nothing else uses. Paths of files stay what they were; the working directory must be entered anew."""
    outermost = list(_outermost(places))
    user, group = os.geteuid(), os.getegid()
    # Root needs no rights of a namespace's own, and would lose those to other users' files there.
    system_calls.unshare(CLONE_NEWNS | (0 if user == 0 else CLONE_NEWUSER))
    if user != 0:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)
    system_calls.mount("none", "/", flags=MS_REC | MS_PRIVATE)
    system_calls.make_read_only("/")
    system_calls.mount("tmpfs", scratch, "tmpfs", MS_NOSUID | MS_NODEV, f"size={LARGEST_BYTES}")
    os.chdir(scratch)
    for number, place in enumerate(outermost):
        os.makedirs(f"{number}/upper")
        os.makedirs(f"{number}/work")
        lower = os.open(place, os.O_PATH | os.O_DIRECTORY)
        # By a descriptor and relative paths: a comma or a colon in a path would mean something to the kernel.
        options = f"lowerdir=/proc/self/fd/{lower},upperdir={number}/upper,workdir={number}/work"
        system_calls.mount("overlay", place, "overlay", MS_NOSUID, options + ("" if user == 0 else ",userxattr"))
        os.close(lower)


def _outermost(places: Iterable[str]) -> Iterator[str]:
    """Those that lie in no other, each once, and the root not at all."""
    found: list[str] = []
    for place in sorted({os.path.realpath(one) for one in places}):
        if place != "/" and os.path.isdir(place) and not any(place.startswith(f"{one}/") for one in found):
            found.append(place)
            yield place
