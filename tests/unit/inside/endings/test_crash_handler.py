"""The machine code of the crash handler is what its listing says, and fits where it is put."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from whydied.inside.endings import crash_handler
from whydied.native import dump_layout


@pytest.mark.skipif(shutil.which("gcc") is None or shutil.which("objcopy") is None, reason="needs an assembler")
def test_the_bytes_are_what_the_listing_says(tmp_path: Path) -> None:
    words = [line.partition("|")[2].partition("#")[0].strip() for line in crash_handler.LISTING.splitlines()]
    source, made, raw = tmp_path / "handler.s", tmp_path / "handler.o", tmp_path / "handler.bin"
    source.write_text(".intel_syntax noprefix\n" + "\n".join(words) + "\n")
    compiled = subprocess.run(["gcc", "-c", source, "-o", made], capture_output=True, text=True, timeout=60)
    if compiled.returncode:
        pytest.skip(f"this assembler makes other code: {compiled.stderr[:200]}")
    subprocess.run(["objcopy", "-O", "binary", "-j", ".text", made, raw], check=True, timeout=60)
    assert raw.read_bytes().startswith(crash_handler.code())


def test_the_handler_fits_its_page_and_its_layout() -> None:
    text = crash_handler.LISTING
    assert len(crash_handler.code()) < crash_handler.PAGE
    for place in (
        dump_layout.SIGINFO_AT,
        dump_layout.REGISTERS_AT,
        dump_layout.CODE_AT,
        dump_layout.STACK_AT,
        dump_layout.MAPS_AT,
    ):
        assert f", {place}\n" in text or f", {place} " in text
    assert f"mov edx, {dump_layout.MAPS_AT - dump_layout.STACK_AT}" in text
