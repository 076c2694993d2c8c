"""Removes what a sandbox left: files with any mode at any depth, overlay work directories, control groups and what
still runs in them. Runs outside; mounts are gone with their namespace.

Invariant: removes nothing outside the directory of the sandbox, and follows no link.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import signal
import stat
import time

from whydied.linux import proc
from whydied.prove.sandbox import control_groups
from whydied.prove.sandbox.wanted import GROUPS, GUARDIAN, HOME, NOTES, TMP

_REMOVING = 40


def clear(scratch: str) -> None:
    """End the sandbox below `scratch`, if it still runs, and remove it; `scratch` itself stays. Raises OSError if
    something cannot be removed."""
    home = f"{os.path.realpath(scratch)}/{HOME}"
    _end_guardian(proc.read_text(f"{home}/{GUARDIAN}") or "")
    _end_processes(f"TMPDIR={home}/{TMP}")
    for top in (proc.read_text(f"{home}/{GROUPS}") or "").splitlines():
        if os.path.basename(top).startswith(control_groups.NAMED):
            control_groups.remove(top)
    for attempt in range(_REMOVING):
        try:
            remove_tree(home)
            return
        except OSError as error:
            # The last processes of a sandbox that was ended may still write.
            if error.errno not in (errno.ENOTEMPTY, errno.ENOENT, errno.EBUSY) or attempt == _REMOVING - 1:
                raise
            time.sleep(0.05)


def notes(scratch: str) -> list[str]:
    """What the sandbox could not do as wanted, and why it ended the program, as sentences; to be asked before
    `clear`."""
    return (proc.read_text(f"{scratch}/{HOME}/{NOTES}") or "").splitlines()


def _end_guardian(text: str) -> None:
    """With it the kernel ends all others."""
    pid, _, started = text.partition(" ")
    found = proc.stat_of(int(pid)) if pid.isdigit() else None
    if found and str(found.started_ticks) == started and int(pid) != os.getpid():
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(pid), signal.SIGKILL)


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
    name = secrets.token_hex(8)
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
            moved = f"{top}/{name}-{number}"
            os.chmod(path, 0o700)
            os.rename(path, moved)
            waiting.append(moved)
        if directory != top:
            os.rmdir(directory)
    os.rmdir(top)
