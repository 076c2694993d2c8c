"""Which features of an x86 processor an instruction needs, told from its first bytes. Pure.

The names are the kernel's, as in /proc/cpuinfo. Told are the extensions that binaries of our time are built with and a
processor or a virtual machine may lack, AVX and what came after it, and 3DNow!, which no processor has any more; any
other instruction needs nothing.
"""

from __future__ import annotations

_TRAPS = ("0f0b", "0fb9", "670fb9", "0fff")
_FMA = frozenset({*range(0x96, 0xA0), *range(0xA6, 0xB0), *range(0xB6, 0xC0)})
_AVX2_IN_38 = frozenset(
    {0x16, 0x36, *range(0x45, 0x48), *range(0x58, 0x5B), 0x78, 0x79, 0x8C, 0x8E, *range(0x90, 0x94)}
)
_AVX2_IN_3A = frozenset({0x00, 0x01, 0x02, 0x38, 0x39, 0x46})
_BMI2_IN_38 = frozenset({0xF5, 0xF6})
# Those on whole numbers: of 256 bits they came with AVX2.
_WHOLE_IN_0F = frozenset({*range(0x60, 0x6E), *range(0x70, 0x77), *range(0xD1, 0xFF)}) - {0xD6, 0xE6, 0xE7, 0xF0}
_WHOLE_IN_38 = frozenset({*range(0x0C), *range(0x1C, 0x26), *range(0x28, 0x2C), *range(0x30, 0x42)})
_FIRST, _SECOND, _THIRD = 1, 2, 3


def is_trap(code: str) -> bool:
    """Whether the instruction is one that no processor ever has: `ud2` and its like, put there on purpose."""
    return code.startswith(_TRAPS)


def needed(code: str) -> tuple[str, ...]:
    """The features that the instruction at the beginning of some code, in hexadecimal, cannot do without."""
    try:
        data = bytes.fromhex(code)
        if data[:2] == b"\x0f\x0f":
            return ("3dnow",)
        if data[0] == 0x62 and len(data) > 4:
            return ("avx512f",)
        if data[0] == 0xC5:
            return _vex(_FIRST, data[1] & 3, bool(data[1] & 4), data[2], data[3] if len(data) > 3 else 0)
        if data[0] == 0xC4:
            return _vex(data[1] & 0x1F, data[2] & 3, bool(data[2] & 4), data[3], data[4])
    except (ValueError, IndexError):
        pass
    return ()


def _vex(which: int, prefix: int, wide: bool, opcode: int, operand: int) -> tuple[str, ...]:
    """Instructions with a VEX prefix; `wide` says 256 bits."""
    if which == _SECOND:
        return _vex_38(prefix, wide, opcode, operand)
    if which == _THIRD:
        if opcode == 0xF0:
            return ("bmi2",)
        if opcode == 0x1D:
            return ("avx", "f16c")
        return ("avx", "avx2") if opcode in _AVX2_IN_3A or (wide and opcode == 0x0F) else ("avx",)
    if opcode in range(0x41, 0x4C) or opcode in range(0x90, 0x9A):
        return ("avx512f",)
    return ("avx", "avx2") if wide and prefix and opcode in _WHOLE_IN_0F else ("avx",)


def _vex_38(prefix: int, wide: bool, opcode: int, operand: int) -> tuple[str, ...]:
    if opcode in (0xF2, 0xF3) or (opcode == 0xF7 and prefix == 0):
        return ("bmi1",)
    if opcode in _BMI2_IN_38 or opcode == 0xF7:
        return ("bmi2",)
    if opcode in _FMA:
        return ("avx", "fma")
    if opcode == 0x13:
        return ("avx", "f16c")
    # Broadcasts of a float take a register only since AVX2.
    register = opcode in (0x18, 0x19) and operand >> 6 == 3
    whole = wide and opcode in _WHOLE_IN_38
    return ("avx", "avx2") if opcode in _AVX2_IN_38 or register or whole else ("avx",)
