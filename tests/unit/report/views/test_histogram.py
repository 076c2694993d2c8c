"""Histograms of captured values, from .npy files as NumPy writes them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from whydied.report.views.histogram import BINS, MOST_VALUES, of_file


@pytest.mark.parametrize("kind", ["float16", "float32", "float64", "int8", "uint8", "int16", "int32", "int64"])
def test_counts_agree_with_numpy(kind: str, tmp_path: Path) -> None:
    values = np.random.default_rng(3).integers(-100 if kind[0] != "u" else 0, 100, [40, 25]).astype(kind)
    np.save(tmp_path / "x.npy", values)
    found = of_file(tmp_path, "x", "x.npy")
    assert found is not None
    counts, edges = np.histogram(values.astype("float64"), BINS)
    assert found.counts == counts.tolist()
    assert np.allclose(found.edges, edges)
    assert found.nonfinite == 0


def test_values_that_are_not_finite_are_counted_apart(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([1.0, np.nan, np.inf, 2.0], "float32"))
    found = of_file(tmp_path, "x", "x.npy")
    assert found is not None
    assert (sum(found.counts), found.nonfinite) == (2, 2)


def test_a_constant_and_nothing_finite(tmp_path: Path) -> None:
    np.save(tmp_path / "same.npy", np.full(7, 3.0, "float32"))
    np.save(tmp_path / "bad.npy", np.full(7, np.nan, "float32"))
    same, bad = of_file(tmp_path, "x", "same.npy"), of_file(tmp_path, "x", "bad.npy")
    assert same is not None
    assert same.counts == [7]
    assert bad is not None
    assert (bad.counts, bad.nonfinite) == ([], 7)


def test_a_large_tensor_is_looked_at_in_part_and_says_so(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros(MOST_VALUES + 5, "float32"))
    found = of_file(tmp_path, "x", "x.npy")
    assert found is not None
    assert "of 200,005 values" in found.part


@pytest.mark.parametrize(
    "data", [b"", b"\x93NUMPY\x01\x00", b"\x93NUMPY\x01\x00\x05\x00{'des", b"no array at all, but long"]
)
def test_a_file_that_is_no_array_gives_nothing(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.npy").write_bytes(data)
    assert of_file(tmp_path, "x", "x.npy") is None


@pytest.mark.parametrize("name", ["../x.npy", "/etc/passwd", "a/b.npy", ".x"])
def test_a_name_from_the_recording_leads_nowhere_else(name: str, tmp_path: Path) -> None:
    assert of_file(tmp_path, "x", name) is None
