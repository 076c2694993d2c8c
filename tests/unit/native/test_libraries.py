"""Looking into libraries: names, tables, and files that are damaged."""

from __future__ import annotations

import random
import shutil
import sysconfig
from pathlib import Path

import pytest

from whydied.native.elf import ElfFile, NotElf
from whydied.native.frame_table import NoValue, Unreadable, evaluate, row_at
from whydied.native.unwinding import readable


def a_library() -> Path:
    """A small extension module of the standard library."""
    folder = Path(sysconfig.get_path("stdlib")) / "lib-dynload"
    found = sorted(folder.glob("mmap.*.so")) or sorted(folder.glob("*.so"))
    if not found:
        pytest.skip("the standard library has no extension modules of its own here")
    return found[0]


def code_of(file: ElfFile) -> range:
    largest = max(file.segments, key=lambda one: one.size)
    return range(largest.address, largest.address + largest.size, 64)


def test_places_go_from_file_to_memory_and_back() -> None:
    with ElfFile(str(a_library())) as file:
        for segment in file.segments:
            assert file.address_of(segment.offset) == segment.address
            assert file.offset_of(segment.address) == segment.offset


def test_a_damaged_library_raises_only_what_it_says(tmp_path: Path) -> None:
    whole = a_library().read_bytes()
    dice = random.Random(4)
    for number in range(60):
        data = bytearray(whole)
        for _ in range(40):
            data[dice.randrange(64 if number % 2 else len(data))] = dice.randrange(256)
        path = tmp_path / f"{number}.so"
        path.write_bytes(data[: dice.randrange(1, len(data))] if number % 3 == 0 else data)
        try:
            with ElfFile(str(path)) as file:
                file.functions([0x1000, 0x2345])
                for address in dice.sample(code_of(file), 10) if len(code_of(file)) > 10 else []:
                    try:
                        row_at(file, address)
                    except Unreadable:
                        pass
        except NotElf:
            pass


@pytest.mark.parametrize("name", ["missing.so", "empty.so", "text.so"])
def test_what_is_no_library_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "empty.so").write_bytes(b"")
    (tmp_path / "text.so").write_bytes(b"hello" * 100)
    with pytest.raises(NotElf):
        ElfFile(str(tmp_path / name))


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("memcpy@@GLIBC_2.14", "memcpy"),
        ("sum_rows.constprop.0.isra.0", "sum_rows"),
        ("_ZN10tensorflow6BiasOp7ComputeEPNS_15OpKernelContextE", "tensorflow::BiasOp::Compute"),
        ("_ZN10tensorflow12_GLOBAL__N_17Gadgets3runEv", "tensorflow::<unnamed>::Gadgets::run"),
        ("_ZN5Eigen4PoolIN3tsl6thread16EigenEnvironmentEE10WorkerLoopEi", "Eigen::Pool::WorkerLoop"),
    ],
)  # fmt: skip
def test_names_are_shown_as_source_writes_them(name: str, shown: str) -> None:
    if shutil.which("c++filt") is None and "<unnamed>" in shown:
        pytest.skip("no C++ runtime to take names apart")
    assert readable(name) == shown


def test_expressions_compute_and_give_up() -> None:
    registers = [0] * 17
    registers[7], registers[16] = 0x1000, 0x401026
    # The one of a procedure linkage table: rsp + 8, and 8 more behind its push.
    code = bytes.fromhex("7708800 03f1a3b2a332422".replace(" ", ""))
    assert evaluate(code, registers, lambda address: None) in (0x1008, 0x1010)
    with pytest.raises(NoValue):
        evaluate(b"\x06", registers, lambda address: None, 8)
    with pytest.raises(NoValue):
        evaluate(b"\xff", registers, lambda address: None)
