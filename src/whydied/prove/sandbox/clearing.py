"""Removes what a sandbox left: files with any mode at any depth, overlay work directories, control groups and what
still runs in them. Runs outside; mounts are gone with their namespace.

Invariant: removes nothing outside the directory of the sandbox, and follows no link.
"""

from __future__ import annotations

import contextlib
import os
import signal
import stat

from whydied.linux import proc
from whydied.prove.sandbox import control_groups
from whydied.prove.sandbox.wanted import GROUPS, HOME, TMP


def clear(scratch: str) -> None:
    """Remove the sandbox below `scratch`; `scratch` itself stays. Raises OSError if something cannot be removed."""
    home = f"{os.path.realpath(scratch)}/{HOME}"
    _end_processes(f"TMPDIR={home}/{TMP}")
    with contextlib.suppress(OSError):
        with open(f"{home}/{GROUPS}") as file:
            tops = file.read().split("\n")
        for top in filter(None, tops):
            control_groups.remove(top)
    remove_tree(home)


def _end_processes(mark: str) -> None:
    """Kill what was started with this line in its environment: left over where Landlock was used and we were killed."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        lines = (proc.read(f"/proc/{name}/environ", 1 << 21) or b"").split(b"\0")
        if os.fsencode(mark) in lines:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(name), signal.SIGKILL)


def remove_tree(top: str) -> None:
    """Directories are moved up before they are emptied, so that no path becomes too long."""
    if not os.path.lexists(top):
        return
    if not stat.S_ISDIR(os.lstat(top).st_mode):
        os.unlink(top)
        return
    number = 0
    waiting = [top]
    while waiting:
        directory = waiting.pop()
        os.chmod(directory, 0o700)
        found = []
        with os.scandir(directory) as entries:
            for entry in entries:
                if not entry.is_dir(follow_symlinks=False):
                    os.unlink(entry.path)
                    continue
                found.append(entry.path)
        for path in found:
            number += 1
            moved = f"{top}/.removed-{number}"
            os.chmod(path, 0o700)
            os.rename(path, moved)
            waiting.append(moved)
        if directory != top:
            os.rmdir(directory)
    os.rmdir(top)
