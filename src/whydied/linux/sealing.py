"""A filter of system calls after which a process can compute and no more; runs in a copy of the user's process.

The kernel's own machine for packet filters judges each call by its number and one argument.

Invariant: what is refused gives "operation not permitted" and has no effect: opening a file to write, making, removing
and renaming one, a connection, another process, a signal to one, other mounts. What is open already stays usable, and
so do threads. A process whose files are private (`private_files`) may be left its files.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct

_LOAD, _AND, _JUMP_EQUAL, _RETURN = 0x20, 0x54, 0x15, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM
_AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP = 38, 22
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_CLONE_VM = 0x100

_OF_FILES = {
    # rename, mkdir, rmdir, creat, link, unlink, symlink, truncate, chmod, chown, lchown, mkdirat, unlinkat, renameat,
    # linkat, symlinkat, fchmodat, fchownat, renameat2.
    "x86_64": (82, 83, 84, 85, 86, 87, 88, 76, 90, 92, 94, 258, 263, 264, 265, 266, 268, 260, 316),
    # mkdirat, unlinkat, symlinkat, linkat, renameat, truncate, fchmodat, fchownat, renameat2.
    "aarch64": (34, 35, 36, 37, 38, 45, 53, 54, 276),
}
_REFUSED = {
    # mknod, mknodat, connect, bind, listen, execve, execveat, kill, tkill, vfork, fork, ptrace, mount, umount2,
    # pivot_root, unshare, setns.
    "x86_64": (133, 259, 42, 49, 50, 59, 322, 62, 200, 58, 57, 101, 165, 166, 155, 272, 308),
    # mknodat, bind, listen, connect, execve, execveat, kill, tkill, ptrace, mount, umount2, pivot_root, unshare, setns.
    "aarch64": (33, 200, 201, 203, 221, 281, 129, 130, 117, 40, 39, 41, 97, 268),
}
_EVERYWHERE = (425, 437, 428, 429, 430, 432, 433, 442)
"""io_uring_setup, which does the work of other calls unseen, openat2, whose flags lie in memory, and the newer calls
for mounts."""
_OPENS = {"x86_64": {2: 1, 257: 2}, "aarch64": {56: 2}}
_CLONE = {"x86_64": 56, "aarch64": 220}
_CLONE3 = 435


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))


def seal(*, files: bool = False) -> None:
    """From here on, for ever; with `files` it may still change those. Raises OSError where this kernel or processor has
    no such filter."""
    machine = os.uname().machine
    if machine not in _AUDIT:
        raise OSError(errno.ENOSYS, f"no filter of system calls for {machine}")
    code = program(machine, files=files)
    buffer = ctypes.create_string_buffer(code)
    made = _Program(len(code) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    library = ctypes.CDLL(None, use_errno=True)
    zero, one = ctypes.c_ulong(0), ctypes.c_ulong(1)
    if library.prctl(_PR_SET_NO_NEW_PRIVS, one, zero, zero, zero) < 0:
        raise OSError(ctypes.get_errno(), "no_new_privs")
    if library.prctl(_PR_SET_SECCOMP, ctypes.c_ulong(2), ctypes.byref(made), zero, zero) < 0:
        raise OSError(ctypes.get_errno(), "seccomp")


def program(machine: str, *, files: bool = False) -> bytes:
    code = [_step(_LOAD, _ARCHITECTURE), _step(_JUMP_EQUAL, _AUDIT[machine], 1, 0), _step(_RETURN, _REFUSE)]
    code.append(_step(_LOAD, _NUMBER))
    for number in (*_REFUSED[machine], *_EVERYWHERE, *(() if files else _OF_FILES[machine])):
        code += [_step(_JUMP_EQUAL, number, 0, 1), _step(_RETURN, _REFUSE)]
    # Its flags lie in memory; told that there is no such call, the C library uses the older one.
    code += [_step(_JUMP_EQUAL, _CLONE3, 0, 1), _step(_RETURN, 0x00050000 | errno.ENOSYS)]
    for number, place in _OPENS[machine].items() if not files else ():
        code += _unless_zero(number, place, _WRITES)
    code += _if_zero(_CLONE[machine], 0, _CLONE_VM)
    code.append(_step(_RETURN, _ALLOW))
    return b"".join(code)


def _unless_zero(number: int, place: int, mask: int) -> list[bytes]:
    """Refuse a call one of whose arguments has a bit of the mask."""
    tested = [_step(_LOAD, _ARGUMENTS + 8 * place), _step(_AND, mask)]
    judged = [_step(_JUMP_EQUAL, 0, 1, 0), _step(_RETURN, _REFUSE), _step(_RETURN, _ALLOW)]
    return [_step(_JUMP_EQUAL, number, 0, len(tested) + len(judged)), *tested, *judged]


def _if_zero(number: int, place: int, mask: int) -> list[bytes]:
    """Refuse a call one of whose arguments has no bit of the mask."""
    tested = [_step(_LOAD, _ARGUMENTS + 8 * place), _step(_AND, mask)]
    judged = [_step(_JUMP_EQUAL, 0, 0, 1), _step(_RETURN, _REFUSE), _step(_RETURN, _ALLOW)]
    return [_step(_JUMP_EQUAL, number, 0, len(tested) + len(judged)), *tested, *judged]


def _step(code: int, value: int, when_true: int = 0, when_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, when_true, when_false, value)
