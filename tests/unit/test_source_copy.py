from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from whydied import source_copy
from whydied.source_copy import Head, NotKept, Version, decode, encode, keep, version_of


def _file(directory: Path, text: bytes, name: str = "train.py") -> tuple[str, Version]:
    path = directory / name
    path.write_bytes(text)
    version = version_of(str(path))
    assert version is not None
    return str(path), version


def _copy(run: Path, name: str) -> tuple[Head, bytes]:
    found = decode((run / "sources" / name).read_bytes())
    assert found is not None
    return found


def test_a_copy_has_the_file_and_where_it_was(tmp_path: Path) -> None:
    file, version = _file(tmp_path, b"x = 1\r\npassword = 'hunter22'\n\xff")
    name = keep(str(tmp_path), file, version)
    head, code = _copy(tmp_path, name)
    assert (head.file, head.modified_ns) == (file, version.modified_ns)
    assert code == b"x = 1\r\npassword = '********'\n\xff"


def test_only_its_owner_reads_it(tmp_path: Path) -> None:
    name = keep(str(tmp_path), *_file(tmp_path, b"x = 1\n"))
    assert stat.S_IMODE((tmp_path / "sources").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "sources" / name).stat().st_mode) == 0o600


def test_each_version_is_kept_once(tmp_path: Path) -> None:
    file, version = _file(tmp_path, b"x = 1\n")
    first = keep(str(tmp_path), file, version)
    assert keep(str(tmp_path), file, version) == first
    changed = keep(str(tmp_path), *_file(tmp_path, b"x = 22\n"))
    assert changed != first
    assert _copy(tmp_path, first)[1] == b"x = 1\n"
    assert _copy(tmp_path, changed)[1] == b"x = 22\n"
    assert sorted(os.listdir(tmp_path / "sources")) == sorted([first, changed])


def test_a_large_file_is_not_kept(tmp_path: Path) -> None:
    with pytest.raises(NotKept, match="256 KiB"):
        keep(str(tmp_path), *_file(tmp_path, b"#" * (source_copy.LARGEST_BYTES + 1)))
    assert keep(str(tmp_path), *_file(tmp_path, b"#" * source_copy.LARGEST_BYTES))


def test_a_run_has_room_for_so_much(tmp_path: Path) -> None:
    text = b"# a line of a program\n" * 10_000
    files = [_file(tmp_path, text, f"{number}.py") for number in range(20)]
    for file in files[:19]:
        keep(str(tmp_path), *file)
    with pytest.raises(NotKept, match="4 MiB"):
        keep(str(tmp_path), *files[19])
    total = sum(path.stat().st_size for path in (tmp_path / "sources").iterdir())
    assert source_copy.LARGEST_TOTAL_BYTES - 2 * len(text) < total <= source_copy.LARGEST_TOTAL_BYTES


def test_a_file_that_changes_meanwhile_is_not_taken_for_the_one_before(tmp_path: Path) -> None:
    file, version = _file(tmp_path, b"x = 1\n")
    Path(file).write_bytes(b"x = 12\n")
    with pytest.raises(OSError, match="being changed"):
        keep(str(tmp_path), file, version)


def test_neither_a_pipe_nor_a_directory_has_a_version(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert [version_of(str(path)) for path in (tmp_path / "pipe", tmp_path, tmp_path / "gone")] == [None] * 3


def test_a_torn_copy_is_none() -> None:
    whole = encode(Head(file="/a/\udcff.py", modified_ns=1, bytes=0), b"x = 1\n")
    assert decode(whole) == (Head(file="/a/\\udcff.py", modified_ns=1, bytes=6), b"x = 1\n")
    assert all(decode(whole[:size]) is None for size in range(len(whole)))
    assert decode(b"x = 1\n") is None
