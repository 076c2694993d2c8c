"""Which features of an x86 processor an instruction needs, told from its first bytes. Pure.

The names are the kernel's, as in /proc/cpuinfo. Only forms that need what a processor may lack are told; an instruction
that every 64-bit processor has needs nothing.
"""

from __future__ import annotations

_LEGACY = frozenset({0x66, 0xF2, 0xF3, 0x2E, 0x36, 0x3E, 0x26, 0x64, 0x65})
_TRAPS = ("0f0b", "0fb9", "670fb9", "0fff")
_FMA = frozenset({*range(0x96, 0xA0), *range(0xA6, 0xB0), *range(0xB6, 0xC0)})
_AVX2_IN_38 = frozenset(
    {0x16, 0x36, *range(0x45, 0x48), *range(0x58, 0x5B), 0x78, 0x79, 0x8C, 0x8E, *range(0x90, 0x94)}
)
_AVX2_IN_3A = frozenset({0x00, 0x01, 0x02, 0x38, 0x39, 0x46})
_BMI2_IN_38 = frozenset({0xF5, 0xF6})
_FMA4 = frozenset({*range(0x5C, 0x60), *range(0x68, 0x70), *range(0x78, 0x80)})
_AMX = frozenset({0x49, 0x4B, 0x5C, 0x5E})
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
        return () if is_trap(code) else _needed(data)
    except (ValueError, IndexError):
        return ()


def _needed(data: bytes) -> tuple[str, ...]:
    if data[0] == 0x62:
        return _evex(data)
    if data[0] == 0xC5:
        return _vex(_FIRST, data[1] & 3, bool(data[1] & 4), data[2], data[3] if len(data) > 3 else 0)
    if data[0] == 0xC4:
        return _vex(data[1] & 0x1F, data[2] & 3, bool(data[2] & 4), data[3], data[4])
    if data[0] == 0x8F and data[1] & 0x1F >= 8:
        return ("xop",)
    at, prefixes = 0, set()
    while data[at] in _LEGACY:
        prefixes.add(data[at])
        at += 1
    if data[at] & 0xF0 == 0x40:
        at += 1
    return _old(data[at:], prefixes) if data[at] == 0x0F else ()


def _evex(data: bytes) -> tuple[str, ...]:
    which, prefix, opcode = data[1] & 7, data[2] & 3, data[4]
    if which == _SECOND and opcode == 0x68 and prefix == 3:
        return ("avx512f", "avx512_vp2intersect")
    if which >= 5:
        return ("avx512f", "avx512_fp16")
    return ("avx512f",)


def _vex(which: int, prefix: int, wide: bool, opcode: int, operand: int) -> tuple[str, ...]:
    """Instructions with a VEX prefix; `wide` says 256 bits."""
    if which == _SECOND:
        return _vex_38(prefix, wide, opcode, operand)
    if which == _THIRD:
        if opcode in _FMA4:
            return ("fma4",)
        if opcode == 0xF0:
            return ("bmi2",)
        if opcode == 0x1D:
            return ("avx", "f16c")
        return ("avx", "avx2") if opcode in _AVX2_IN_3A or (wide and opcode == 0x0F) else ("avx",)
    if opcode in range(0x41, 0x4C) or opcode in range(0x90, 0x9A):
        return ("avx512f",)
    return ("avx", "avx2") if wide and prefix and opcode in _WHOLE_IN_0F else ("avx",)


def _vex_38(prefix: int, wide: bool, opcode: int, operand: int) -> tuple[str, ...]:
    if opcode in _AMX and not wide:
        return ("amx_tile",)
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


def _old(data: bytes, prefixes: set[int]) -> tuple[str, ...]:
    """Instructions from before AVX, behind their prefixes."""
    second, third = data[1], data[2]
    if second == 0x0F:
        return ("3dnow",)
    if second == 0x38:
        if third in (0xF0, 0xF1):
            return ("sse4_2",) if 0xF2 in prefixes else ("movbe",)
        if third in (0xF6,):
            return ("adx",) if prefixes & {0x66, 0xF3} else ()
        if third <= 0x0B or third in range(0x1C, 0x1F):
            return ("ssse3",)
        return ("sse4_2",) if third == 0x37 else ("aes",) if third in range(0xDB, 0xE0) else ("sse4_1",)
    if second == 0x3A:
        if third == 0x0F:
            return ("ssse3",)
        return ("sse4_2",) if third in range(0x60, 0x64) else ("pclmulqdq",) if third == 0x44 else ("sse4_1",)
    if second == 0xB8 and 0xF3 in prefixes:
        return ("popcnt",)
    return ("pni",) if second in (0x7C, 0x7D, 0xD0, 0x12, 0x16, 0xF0) and prefixes & {0xF2, 0xF3} else ()
