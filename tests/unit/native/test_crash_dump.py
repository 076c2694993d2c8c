"""Dumps of crashes: whole, torn and foreign."""

from __future__ import annotations

import struct

import pytest

from whydied.native.crash_dump import PROGRAM_COUNTER, STACK_POINTER, Dump, divisor_of, read_dump, read_maps
from whydied.native.dump_layout import CODE_AT, MAGIC, MAPS_AT, REGISTERS_AT, SIGINFO_AT, STACK_AT

MAPS = """\
7f1000000000-7f1000004000 r-xp 00001000 103:02 77                        /usr/lib/libm.so.6
7f1000004000-7f1000008000 rw-s 00000000 00:1a 9                          /dev/shm/ring (deleted)
7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0                          [stack]
"""


def dumped(signal: int = 11, code: int = 1, value: int = 0x10, instruction: bytes = b"", **registers: int) -> bytes:
    """A dump as the handler writes it. Registers are by their place in the kernel's order: `r16` is the counter."""
    words = [registers.get(f"r{number}", 0) for number in range(23)]
    data = bytearray(MAPS_AT)
    data[:20] = struct.pack("<8sIII", MAGIC, 42, 43, signal)
    data[SIGINFO_AT : SIGINFO_AT + 24] = struct.pack("<iii4xQ", signal, 0, code, value)
    data[REGISTERS_AT : REGISTERS_AT + 184] = struct.pack("<23Q", *words)
    data[CODE_AT : CODE_AT + len(instruction)] = instruction
    data[STACK_AT : STACK_AT + 8] = struct.pack("<Q", 0x7F1000000123)
    return bytes(data) + MAPS.encode()


def whole(data: bytes) -> Dump:
    found = read_dump(data)
    assert found is not None
    return found


def test_a_dump_tells_registers_signal_and_map() -> None:
    dump = whole(dumped(r16=0x7F1000000010, r15=0x7FFC00000100, r20=14, r19=6))
    assert (dump.pid, dump.thread, dump.signal, dump.address, dump.sender) == (42, 43, 11, 0x10, None)
    assert (dump.registers[PROGRAM_COUNTER], dump.registers[STACK_POINTER]) == (0x7F1000000010, 0x7FFC00000100)
    assert (dump.trap, dump.error) == (14, 6)
    mapping = dump.mapping(dump.registers[PROGRAM_COUNTER])
    assert mapping is not None
    assert (mapping.path, mapping.executable, mapping.device) == ("/usr/lib/libm.so.6", True, "259:2")


def test_a_signal_that_was_sent_has_a_sender_and_no_address() -> None:
    dump = whole(dumped(code=-6, value=4711 | 1000 << 32))
    assert (dump.sender, dump.address) == (4711, None)


def test_maps_tell_deleted_files_and_devices_as_mounts_do() -> None:
    ring = read_maps(MAPS)[1]
    assert (ring.path, ring.deleted, ring.device, ring.flags) == ("/dev/shm/ring", True, "0:26", "rw-s")


def test_torn_and_foreign_files_are_no_dumps_and_never_raise() -> None:
    data = dumped()
    for end in [*range(0, 400, 7), STACK_AT + 5, MAPS_AT + 30]:
        read_dump(data[:end])
    assert read_dump(b"") is None
    assert read_dump(b"x" * 5000) is None


@pytest.mark.parametrize(
    ("code", "register", "value", "divisor"),
    [
        ("f7fe", "r9", 0, 0),  # idiv esi
        ("f7f9", "r14", 0xFFFFFFFF, -1),  # idiv ecx
        ("f7f1", "r14", 0xFFFFFFFF, 0xFFFFFFFF),  # div ecx
        ("49f7f8", "r0", 7, 7),  # idiv r8
        ("66f7fb", "r11", 0x1FFFE, -2),  # idiv bx
        ("f77c2404", "r15", 0x7FFC00000100, 0x7F10),  # idiv dword ptr [rsp + 4], of the stack's first word
        ("48f77d00", "r10", 0x7F0000000000, None),  # idiv qword ptr [rbp], elsewhere
        ("9090", "r9", 3, None),
    ],
)
def test_the_divisor_is_read_from_the_register(code: str, register: str, value: int, divisor: int | None) -> None:
    assert divisor_of(whole(dumped(signal=8, instruction=bytes.fromhex(code), **{register: value}))) == divisor
