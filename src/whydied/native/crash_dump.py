"""Reads the dump that a crashed process left: see `layout`. Pure; a file that is torn or foreign gives None."""

from __future__ import annotations

import re
import struct
from typing import NamedTuple

from whydied.native.dump_layout import CODE_AT, CODE_BYTES, MAGIC, MAPS_AT, REGISTERS_AT, SIGINFO_AT, STACK_AT

_HEADER = struct.Struct("<8sIII")
_REGISTERS = struct.Struct("<23Q")
_SIGINFO = struct.Struct("<iii4xQ")
_SENDER = struct.Struct("<II")
# Where the kernel's order has the registers that unwinding tables count: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8…
_ORDER = (13, 12, 14, 11, 9, 8, 10, 15, 0, 1, 2, 3, 4, 5, 6, 7, 16)
_ERROR, _TRAP = 19, 20
STACK_POINTER, PROGRAM_COUNTER = 7, 16
_MAPPING = re.compile(
    r"^(?P<start>[0-9a-f]+)-(?P<end>[0-9a-f]+) (?P<flags>\S{4}) (?P<offset>[0-9a-f]+) "
    r"(?P<device>[0-9a-f]+:[0-9a-f]+) (?P<inode>\d+) *(?P<path>.*)$"
)
_DELETED = " (deleted)"


class Mapping(NamedTuple):
    """A range of addresses. `path` is empty for memory that no file stands behind; `device` is "major:minor"."""

    start: int
    end: int
    flags: str
    offset: int
    device: str
    inode: int
    path: str
    deleted: bool = False

    @property
    def executable(self) -> bool:
        return "x" in self.flags


class Dump(NamedTuple):
    """`registers` are in the order of unwinding tables; `code` is the kernel's reason for the signal, `code_bytes` the
    instructions where the processor was. `sender` is the process that sent the signal, None where the
    processor or the kernel raised it; `address` is then the one that the signal is about."""

    pid: int
    thread: int
    signal: int
    code: int
    address: int | None
    sender: int | None
    trap: int
    error: int
    registers: tuple[int, ...]
    code_bytes: bytes
    stack: bytes
    maps: list[Mapping]

    @property
    def stack_pointer(self) -> int:
        return self.registers[STACK_POINTER]

    def mapping(self, address: int) -> Mapping | None:
        return next((one for one in self.maps if one.start <= address < one.end), None)


def read_dump(data: bytes) -> Dump | None:
    """None where the file is torn before the registers, or no dump."""
    if len(data) < REGISTERS_AT + _REGISTERS.size or data[:8] != MAGIC:
        return None
    _, pid, thread, signal = _HEADER.unpack_from(data)
    _, _, code, address = _SIGINFO.unpack_from(data, SIGINFO_AT)
    # A code above zero is the kernel's own; others carry the sender in place of an address.
    sent = code <= 0
    sender, _ = _SENDER.unpack_from(data, SIGINFO_AT + 16)
    words = _REGISTERS.unpack_from(data, REGISTERS_AT)
    return Dump(
        pid=pid,
        thread=thread,
        signal=signal,
        code=code,
        address=None if sent else address,
        sender=sender if sent else None,
        trap=words[_TRAP],
        error=words[_ERROR],
        registers=tuple(words[index] for index in _ORDER),
        code_bytes=data[CODE_AT : CODE_AT + CODE_BYTES],
        stack=data[STACK_AT:MAPS_AT],
        maps=read_maps(data[MAPS_AT:].decode("utf-8", "replace")),
    )


def read_maps(text: str) -> list[Mapping]:
    found = []
    for line in text.splitlines():
        if match := _MAPPING.match(line):
            path = match["path"]
            found.append(
                Mapping(
                    start=int(match["start"], 16),
                    end=int(match["end"], 16),
                    flags=match["flags"],
                    offset=int(match["offset"], 16),
                    device=_device(match["device"]),
                    inode=int(match["inode"]),
                    path=path.removesuffix(_DELETED),
                    deleted=path.endswith(_DELETED),
                )
            )
    return found


def _device(text: str) -> str:
    """As /proc/self/mountinfo writes it: in decimal."""
    major, _, minor = text.partition(":")
    return f"{int(major, 16)}:{int(minor, 16)}"
