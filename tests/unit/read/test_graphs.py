"""Recorded graphs are read whole, bounded, and a bad file is as if it were missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from whydied.graph.op_table import Function, Table, encode
from whydied.read import steps


def _write(directory: Path, name: str, function: str = "step") -> None:
    (directory / name).write_bytes(encode(Table(function, (Function(function, ()),))))


def test_a_table_is_read_by_its_name(tmp_path: Path) -> None:
    _write(tmp_path, "1-0.bin", "train")
    found = steps.read_graphs(tmp_path, ["1-0.bin", "1-1.bin"])
    table = found.table("1-0.bin")
    assert table is not None
    assert table.name == "train"
    assert found.table("1-1.bin") is None


def test_a_damaged_file_is_no_table(tmp_path: Path) -> None:
    _write(tmp_path, "1-0.bin")
    (tmp_path / "1-0.bin").write_bytes((tmp_path / "1-0.bin").read_bytes()[:-4])
    assert steps.read_graphs(tmp_path, ["1-0.bin"]).table("1-0.bin") is None


def test_names_do_not_lead_out_of_the_directory(tmp_path: Path) -> None:
    inner = tmp_path / "graphs"
    inner.mkdir()
    _write(tmp_path, "secret.bin")
    assert steps.read_graphs(inner, ["../secret.bin"]).table("../secret.bin") is None


def test_the_last_ones_have_the_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        _write(tmp_path, f"1-{number}.bin")
    size = (tmp_path / "1-0.bin").stat().st_size
    monkeypatch.setattr(steps, "LARGEST_TOTAL_BYTES", 2 * size)
    found = steps.read_graphs(tmp_path, ["1-0.bin", "1-1.bin", "1-2.bin"])
    assert [found.table(f"1-{number}.bin") is not None for number in range(3)] == [False, True, True]
