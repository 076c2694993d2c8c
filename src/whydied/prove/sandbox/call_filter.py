"""A seccomp filter for what Landlock does not cover; runs in the first process of the sandbox, just before the program.

It is a program for the kernel's packet filter machine: load the number of the call, compare, answer.

Invariant: calls of another architecture than ours are refused, so that a number means one call.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct

from whydied.linux import system_calls

_LOAD, _AND, _RETURN = 0x20, 0x54, 0x06
_JUMP_EQUAL, _JUMP_AT_LEAST = 0x15, 0x35
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000
_O_ACCMODE_TRUNC, _O_TRUNC = 0o1003, 0o1000
_LOCAL = (1, 16)
"""AF_UNIX and AF_NETLINK, which tells of the machine's own interfaces."""

_IGNORED = {
    # chmod, fchmod, fchmodat, chown, fchown, lchown, fchownat, utime, utimes, futimesat, utimensat, then set and remove
    # of extended attributes.
    "x86_64": (90, 91, 268, 92, 93, 94, 260, 132, 235, 261, 280, 188, 189, 190, 197, 198, 199),
    # fchmod, fchmodat, fchown, fchownat, utimensat, extended attributes.
    "aarch64": (52, 53, 55, 54, 88, 5, 6, 7, 14, 15, 16),
}
_IGNORED_EVERYWHERE = (452, 463, 466, 469)
"""fchmodat2, setxattrat, removexattrat, file_setattr."""
_REFUSED_EVERYWHERE = (425,)
"""io_uring_setup: a ring does the work of other calls, unseen by the filter."""
_OTHERS = {
    "x86_64": {
        "open_by_handle_at": 304,
        "ioctl": 16,
        "prlimit64": 302,
        "kill": 62,
        "socket": 41,
        "connect": 42,
        "truncate": 76,
    },
    "aarch64": {
        "open_by_handle_at": 265,
        "ioctl": 29,
        "prlimit64": 261,
        "kill": 129,
        "socket": 198,
        "connect": 203,
        "truncate": 45,
    },
}
_OPENS = {"x86_64": {2: 1, 257: 2}, "aarch64": {56: 2}}
"""open and openat, with the place of their flags."""
_OPENAT2 = 437
_FILE_CONTROLS = (0x40086602, 0x40046602, 0x401C5820, 0x40087602, 0x40806685, 0x800C6613)
"""ioctl that changes flags, project, version, verity and encryption of a file by a descriptor that only reads."""


def program(machine: str, *, allow_network: bool, truncates: bool) -> bytes:
    """The filter. `truncates` says that truncation must be refused here too."""
    calls = _OTHERS[machine]
    code = _Code()
    code.load(_ARCHITECTURE)
    code.unless_equal(_AUDIT[machine], errno.ENOSYS)
    code.load(_NUMBER)
    if machine == "x86_64":
        code.add(_JUMP_AT_LEAST, _X32, 0, 1)
        code.answer(errno.ENOSYS)
    for number in (*_IGNORED[machine], *_IGNORED_EVERYWHERE):
        code.when_equal(number, 0)
    for number in (*_REFUSED_EVERYWHERE, calls["open_by_handle_at"]):
        code.when_equal(number, errno.EPERM)
    code.when_argument(calls["ioctl"], 1, dict.fromkeys(_FILE_CONTROLS, errno.EPERM))
    code.when_argument(calls["kill"], 0, {0xFFFFFFFF: errno.EPERM})
    code.when_argument(calls["prlimit64"], 0, {0: None}, otherwise=errno.EPERM)
    if not allow_network:
        code.when_argument(calls["socket"], 0, dict.fromkeys(_LOCAL), otherwise=errno.EACCES)
        # A local socket leads to databases and daemons, and the filter cannot see its path.
        code.when_equal(calls["connect"], errno.EACCES)
    if truncates:
        code.when_equal(calls["truncate"], errno.EACCES)
        code.when_equal(_OPENAT2, errno.ENOSYS)
        for number, place in _OPENS[machine].items():
            code.when_argument(number, place, {_O_TRUNC: errno.EACCES}, mask=_O_ACCMODE_TRUNC)
    code.add(_RETURN, _ALLOW)
    return bytes(code.made)


class _Code:
    def __init__(self) -> None:
        self.made = bytearray()

    def add(self, code: int, value: int, when_true: int = 0, when_false: int = 0) -> None:
        self.made += struct.pack("=HBBI", code, when_true, when_false, value)

    def load(self, offset: int) -> None:
        self.add(_LOAD, offset)

    def answer(self, number: int | None) -> None:
        """An error, with 0 for success without effect, or None to let the call pass."""
        self.add(_RETURN, _ALLOW if number is None else _ERRNO | number)

    def when_equal(self, value: int, number: int | None) -> None:
        self.add(_JUMP_EQUAL, value, 0, 1)
        self.answer(number)

    def unless_equal(self, value: int, number: int | None) -> None:
        self.add(_JUMP_EQUAL, value, 1, 0)
        self.answer(number)

    def when_argument(
        self,
        call: int,
        place: int,
        answers: dict[int, int | None] | dict[int, int] | dict[int, None],
        otherwise: int | None = None,
        mask: int | None = None,
    ) -> None:
        """Answer one call by the lower half of an argument."""
        inner = _Code()
        inner.load(_ARGUMENTS + 8 * place)
        if mask is not None:
            inner.add(_AND, mask)
        for value, number in answers.items():
            inner.when_equal(value, number)
        inner.answer(otherwise)
        self.add(_JUMP_EQUAL, call, 0, len(inner.made) // 8)
        self.made += inner.made


def install(*, allow_network: bool, truncates: bool) -> None:
    machine = os.uname().machine
    if machine not in _AUDIT:
        raise OSError(errno.ENOSYS, f"no filter of system calls for {machine}")
    made = ctypes.create_string_buffer(program(machine, allow_network=allow_network, truncates=truncates))
    system_calls.filter_calls(made, (len(made) - 1) // 8)
