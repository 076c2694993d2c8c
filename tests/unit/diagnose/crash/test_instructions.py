"""What an instruction needs, compared with what the assembler makes of its name."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from whydied.diagnose.crash.instructions import is_trap, needed

WANTED = {
    "addps xmm0, xmm1": (),
    "mov rax, qword ptr [rbx]": (),
    "pshufb xmm0, xmm1": (),
    "pfadd mm0, mm1": ("3dnow",),
    "vaddps ymm0, ymm1, ymm2": ("avx",),
    "vmovdqu ymm0, ymmword ptr [rax]": ("avx",),
    "vpaddd xmm0, xmm1, xmm2": ("avx",),
    "vbroadcastss ymm0, dword ptr [rax]": ("avx",),
    "vzeroupper": ("avx",),
    "vpaddd ymm0, ymm1, ymm2": ("avx", "avx2"),
    "vpmulld ymm8, ymm1, ymm12": ("avx", "avx2"),
    "vbroadcastss ymm0, xmm1": ("avx", "avx2"),
    "vpermq ymm0, ymm1, 3": ("avx", "avx2"),
    "vinserti128 ymm0, ymm1, xmm2, 1": ("avx", "avx2"),
    "vgatherdps xmm0, dword ptr [rax + xmm1], xmm2": ("avx", "avx2"),
    "vfmadd231ps ymm0, ymm1, ymm2": ("avx", "fma"),
    "vfnmadd132sd xmm0, xmm1, xmm2": ("avx", "fma"),
    "vcvtph2ps ymm0, xmm1": ("avx", "f16c"),
    "andn eax, ebx, ecx": ("bmi1",),
    "blsr eax, ebx": ("bmi1",),
    "mulx eax, ebx, ecx": ("bmi2",),
    "shlx eax, ebx, ecx": ("bmi2",),
    "rorx eax, ebx, 3": ("bmi2",),
    "vaddps zmm0, zmm1, zmm2": ("avx512f",),
    "vpternlogd xmm16, xmm1, xmm2, 7": ("avx512f",),
    "kmovw k1, eax": ("avx512f",),
}


@pytest.mark.skipif(shutil.which("gcc") is None or shutil.which("objcopy") is None, reason="needs an assembler")
def test_every_instruction_needs_what_its_makers_say(tmp_path: Path) -> None:
    source, made, raw = tmp_path / "all.s", tmp_path / "all.o", tmp_path / "all.bin"
    lines = [f".balign 16\n{words}" for words in WANTED]
    source.write_text(".intel_syntax noprefix\n" + "\n".join(lines) + "\n.balign 16\n")
    compiled = subprocess.run(["gcc", "-c", source, "-o", made], capture_output=True, text=True, timeout=60)
    if compiled.returncode:
        pytest.skip(f"this assembler does not know them all: {compiled.stderr[:200]}")
    subprocess.run(["objcopy", "-O", "binary", "-j", ".text", made, raw], check=True, timeout=60)
    code = raw.read_bytes()
    found = {words: needed(code[16 * n : 16 * n + 16].hex()) for n, words in enumerate(WANTED)}
    assert found == WANTED


def test_traps_need_nothing() -> None:
    assert is_trap("0f0b")
    assert needed("0f0b000000") == ()


@pytest.mark.parametrize("code", ["", "zz", "c5", "62", "0f", "66666666"])
def test_code_that_is_cut_needs_nothing(code: str) -> None:
    assert needed(code) == ()
