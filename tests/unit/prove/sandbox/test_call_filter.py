"""The filter of system calls, run by a small machine like the kernel's."""

from __future__ import annotations

import errno
import struct

import pytest

from whydied.prove.sandbox import call_filter

_ALLOWED = None
_AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_I386 = 0x40000003


def _answer(code: bytes, architecture: int, number: int, *arguments: int) -> int | None:
    """The errno that a call gets, or None if it is allowed."""
    padded = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("=IIQ6Q", number, architecture, 0, *(argument & (1 << 64) - 1 for argument in padded))
    at = value = 0
    while True:
        kind, when_true, when_false, constant = struct.unpack_from("=HBBI", code, at * 8)
        at += 1
        if kind == 0x20:
            (value,) = struct.unpack_from("=I", data, constant)
        elif kind == 0x54:
            value &= constant
        elif kind == 0x15:
            at += when_true if value == constant else when_false
        elif kind == 0x35:
            at += when_true if value >= constant else when_false
        else:
            assert kind == 0x06
            return None if constant == 0x7FFF0000 else constant & 0xFFFF


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_what_is_answered(machine: str) -> None:
    code = call_filter.program(machine, allow_network=False, truncates=False)
    names = ("read", "chmod", "utimensat", "socket", "connect", "kill", "prlimit64", "ioctl")
    numbers = {"x86_64": (0, 90, 280, 41, 42, 62, 302, 16), "aarch64": (63, 53, 88, 198, 203, 129, 261, 29)}
    calls = dict(zip(names, numbers[machine], strict=True))

    def ask(name: str, *arguments: int) -> int | None:
        return _answer(code, _AUDIT[machine], calls[name], *arguments)

    assert ask("read") is _ALLOWED
    assert (ask("chmod"), ask("utimensat")) == (0, 0)
    assert (ask("socket", 1), ask("socket", 16), ask("socket", 2), ask("socket", 10)) == (None, None, 13, 13)
    assert ask("connect", 3) == errno.EACCES
    assert (ask("kill", 1234, 9), ask("kill", -1, 9)) == (None, errno.EPERM)
    assert (ask("prlimit64", 0), ask("prlimit64", 77)) == (None, errno.EPERM)
    assert (ask("ioctl", 3, 0x5401), ask("ioctl", 3, 0x40086602)) == (None, errno.EPERM)
    assert _answer(code, _AUDIT[machine], 425) == errno.EPERM
    assert _answer(code, _I386, calls["read"]) == errno.ENOSYS


def test_the_network_and_truncation() -> None:
    code = call_filter.program("x86_64", allow_network=True, truncates=True)
    assert _answer(code, _AUDIT["x86_64"], 41, 2) is _ALLOWED
    assert _answer(code, _AUDIT["x86_64"], 42, 3) is _ALLOWED
    assert _answer(code, _AUDIT["x86_64"], 76) == errno.EACCES
    opened = [_answer(code, _AUDIT["x86_64"], 257, 0, 0, flags) for flags in (0, 0o1000, 0o1001, 0o1102)]
    assert opened == [None, errno.EACCES, None, None]
    assert _answer(code, _AUDIT["x86_64"], 0x40000000 + 1) == errno.ENOSYS
