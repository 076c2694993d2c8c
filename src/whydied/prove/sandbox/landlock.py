"""The way in where namespaces are forbidden: Landlock denies writes outside of a few directories. Runs in the first
process of the sandbox, which then becomes the program.

Landlock knows nothing of modes, owners, times and attributes of files, nor (in old versions) of truncation, so a
seccomp filter answers those calls: they report success and have no effect, since a program that copies a file with its
times must not fail for it. The filter also refuses sockets of the internet and connections to local ones, of which no
version of Landlock covers all.

Invariant: reading stays free; without a filter for this processor there is no sandbox.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from collections.abc import Collection, Iterable
from typing import NoReturn

from whydied.linux import proc, system_calls
from whydied.prove.sandbox import project_copy, standard_input
from whydied.prove.sandbox.call_filter import install
from whydied.prove.sandbox.rights import KEPT_CAPABILITIES, give_up
from whydied.prove.sandbox.wanted import COPY, HOME, TMP, Wanted

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION = 1
_PATH_BENEATH = 1
_WRITE_FILE, _IOCTL_DEV = 1 << 1, 1 << 15
_TRUNCATE = 1 << 14
_WRITES = {1: _WRITE_FILE | sum(1 << bit for bit in range(4, 13)), 2: 1 << 13, 3: _TRUNCATE, 5: _IOCTL_DEV}
"""The rights to change files that a version brought: to write, remove, make; to link and rename across directories; to
truncate; to control devices."""
_FILE_RIGHTS = _WRITE_FILE | _TRUNCATE | _IOCTL_DEV
_SCOPED = {6: 0b11}
"""Abstract sockets and signals of processes outside."""
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts")
_GPUS = ("nvidia", "dri", "kfd")


def version() -> int:
    """Of Landlock in this kernel; 0 where it has none."""
    try:
        return system_calls.system_call(
            "landlock", _CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION)
        )
    except OSError:
        return 0


def gaps(allow_network: bool) -> list[str]:
    """What does not hold, and what does not work, with the version of this kernel; sentences without a full stop."""
    abi = version()
    found = ["what it changed of the modes, owners and times of files had no effect"]
    found += ["renaming from one directory to another failed"] if abi < 2 else []
    found += ["it could send signals to your other processes"] if abi < 6 else []
    found += ["it could not use /dev/shm, where other programs have files"] if not _is_empty("/dev/shm") else []
    found += [] if allow_network else ["it could not connect to local sockets, which multiprocessing.Manager needs"]
    return found


def enter(wanted: Wanted, argv: list[str], room: str | None, mask: Collection[int]) -> NoReturn:
    """Become the program. Raises OSError if not everything holds."""
    home = f"{wanted.scratch}/{HOME}"
    abi = min(version(), wanted.landlock_version)
    if abi < 1:
        raise OSError(0, "this kernel has no Landlock")
    os.setsid()
    moved = project_copy.Moved(wanted.project, f"{home}/{COPY}") if wanted.project else None
    if wanted.shown and not moved:
        raise OSError(0, "Landlock can show edited files only in a copy of the project, and no project was named")
    os.mkdir(f"{home}/{TMP}", 0o700)
    os.environ["TMPDIR"] = f"{home}/{TMP}"
    if moved:
        moved.make(wanted.shown, [wanted.scratch, *wanted.writable])
        argv = [moved.word(word) for word in argv]
        if "PYTHONPATH" in os.environ:
            paths = os.environ["PYTHONPATH"].split(os.pathsep)
            os.environ["PYTHONPATH"] = os.pathsep.join(map(moved.word, paths))
        os.chdir(moved.word(os.getcwd()))
    standard_input.reopen(standard_input.real_file())
    give_up(wanted, _own_processes(), KEPT_CAPABILITIES if os.geteuid() == 0 else 0)
    everything = [f"{home}/{TMP}", *wanted.writable, *([f"{home}/{COPY}"] if moved else []), *([room] if room else [])]
    if _is_empty("/dev/shm"):
        # Where other programs have files there, ours would be free to change them.
        everything.append("/dev/shm")
    gpus = [name for name in os.listdir("/dev") if name.startswith(_GPUS)]
    _restrict(abi, everything, [f"/dev/{name}" for name in (*_DEVICES, *gpus)])
    install(allow_network=wanted.allow_network, truncates=abi < 3)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        # Python ignores these two for itself.
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    os.execvp(argv[0], argv)


def _restrict(abi: int, directories: Iterable[str], devices: Iterable[str]) -> None:
    handled = sum(rights for since, rights in _WRITES.items() if since <= abi)
    scoped = sum(scopes for since, scopes in _SCOPED.items() if since <= abi)
    # The structure grew with the versions: files, network, scopes.
    attributes = (ctypes.c_uint64 * 3)(handled, 0, scoped)
    size = ctypes.c_size_t(24 if abi >= 6 else 16 if abi >= 4 else 8)
    ruleset = system_calls.system_call("landlock", _CREATE_RULESET, attributes, size, ctypes.c_uint32(0))
    for path in directories:
        _allow(ruleset, path, handled)
    for path in devices:
        with contextlib.suppress(FileNotFoundError):
            _allow(ruleset, path, handled & _FILE_RIGHTS)
    system_calls.system_call("landlock", _RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0))
    os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    # Packed: eight bytes of rights, four of the descriptor.
    rule = ctypes.create_string_buffer(rights.to_bytes(8, "little") + fd.to_bytes(4, "little"), 12)
    what = f"landlock rule for {path}"
    system_calls.system_call(
        what, _ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(_PATH_BENEATH), rule, ctypes.c_uint32(0)
    )
    os.close(fd)


def _is_empty(directory: str) -> bool:
    try:
        return not os.listdir(directory)
    except OSError:
        return False


def _own_processes() -> int:
    """Processes and threads of this user, which count towards the user's limit."""
    total = 0
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            if name.isdigit() and os.stat(f"/proc/{name}").st_uid == os.geteuid():
                status = proc.status_of(int(name))
                total += status.threads if status else 0
    return total
