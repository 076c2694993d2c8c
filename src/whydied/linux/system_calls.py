"""The system calls that Python does not have; runs on the way into a sandbox, and in a copy of the user's process.

Invariant: a call that fails raises an OSError with the call and its path in the text.
"""

from __future__ import annotations

import contextlib
import ctypes
import os

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUSER = 0x00020000, 0x08000000, 0x10000000
CLONE_NEWPID, CLONE_NEWNET = 0x20000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18

_MNT_DETACH = 2
_MOUNT_ATTR_RDONLY = 1
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_MOUNT_SETATTR = 442
_PR_SET_PDEATHSIG, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS, _PR_SET_SUBREAPER = 1, 24, 38, 36
_PR_SET_SECCOMP = 22
_CAPABILITY_VERSION = 0x20080522
_KEYCTL = {"x86_64": 250, "aarch64": 219}
_JOIN_SESSION_KEYRING = 1

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def system_call(what: str, number: int, *arguments: object) -> int:
    """A call by its number, for those that the C library does not know either."""
    return _checked(what, _libc.syscall(ctypes.c_long(number), *arguments))


def unshare(flags: int) -> None:
    _checked("unshare", _libc.unshare(flags))


def mount(source: str, target: str, kind: str | None = None, flags: int = 0, data: str | None = None) -> None:
    words = [None if word is None else os.fsencode(word) for word in (source, target, kind, data)]
    done = _libc.mount(words[0], words[1], words[2], ctypes.c_ulong(flags), words[3])
    _checked(f"mount {kind or source} at {target}", done)


def bind(source: str, target: str) -> None:
    """Show a file or a directory, with all that is mounted below it, in another place too."""
    mount(source, target, flags=MS_BIND | MS_REC)


def make_read_only(target: str) -> None:
    """A mount and all those below it, in this namespace."""
    attributes = (ctypes.c_uint64 * 4)(_MOUNT_ATTR_RDONLY, 0, 0, 0)
    what = f"make {target} read-only"
    path = os.fsencode(target)
    system_call(what, _MOUNT_SETATTR, _AT_FDCWD, path, _AT_RECURSIVE, attributes, ctypes.sizeof(attributes))
    if not os.statvfs(target).f_flag & os.ST_RDONLY:
        raise OSError(0, f"{what}: it is still writable")


def change_root(new: str) -> None:
    """Make `new`, a mount point, the root of this mount namespace, and let go of the old one."""
    os.chdir(new)
    _checked(f"pivot_root to {new}", _libc.pivot_root(b".", b"."))
    _checked("umount of the old root", _libc.umount2(b".", _MNT_DETACH))
    os.chdir("/")


def die_with_parent(number: int) -> None:
    _prctl("PR_SET_PDEATHSIG", _PR_SET_PDEATHSIG, number)


def adopt_orphans() -> None:
    _prctl("PR_SET_CHILD_SUBREAPER", _PR_SET_SUBREAPER, 1)


def gain_no_privileges() -> None:
    """No program that is executed from here on gets more rights than we have."""
    _prctl("PR_SET_NO_NEW_PRIVS", _PR_SET_NO_NEW_PRIVS, 1)


def keep_capabilities(kept: int) -> None:
    """Give up all other capabilities, for this process and, after `gain_no_privileges`, for all that come of it."""
    kept &= _held_capabilities()
    with open("/proc/sys/kernel/cap_last_cap") as file:
        last = int(file.read())
    # A second bound, where we may set one: containers often may not.
    with contextlib.suppress(PermissionError):
        for number in range(last + 1):
            if not kept >> number & 1:
                _prctl("PR_CAPBSET_DROP", _PR_CAPBSET_DROP, number)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    # Effective, permitted, inheritable: first of capabilities 0 to 31, then of the rest.
    low, high = kept & 0xFFFFFFFF, kept >> 32
    _checked("capset", _libc.capset(header, (ctypes.c_uint32 * 6)(low, low, 0, high, high, 0)))
    if _held_capabilities() != kept:
        raise OSError(0, "capset: the capabilities are still there")


def _held_capabilities() -> int:
    with open("/proc/self/status") as file:
        return next(int(line.split()[1], 16) for line in file if line.startswith("CapPrm:"))


def leave_session_keyring() -> None:
    """Begin a keyring of our own: the inherited one leads to the user's keys."""
    number = _KEYCTL.get(os.uname().machine)
    if number is not None:
        system_call("join a session keyring", number, _JOIN_SESSION_KEYRING, None)


class _FilterProgram(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))


def filter_calls(code: ctypes.Array[ctypes.c_char], length: int) -> None:
    """Have a program of `length` instructions judge every system call from here on, for ever."""
    made = _FilterProgram(length, ctypes.cast(code, ctypes.c_void_p))
    none = ctypes.c_ulong(0)
    _checked("seccomp", _libc.prctl(_PR_SET_SECCOMP, ctypes.c_ulong(2), ctypes.byref(made), none, none))


def _prctl(what: str, option: int, argument: int) -> None:
    _checked(
        what, _libc.prctl(option, ctypes.c_ulong(argument), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0))
    )


def _checked(what: str, result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result
