"""Captures as files: values come back as they were, sizes are bounded, and only the owner may read them."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy
import pytest

from whydied.inside import journal
from whydied.inside.numerics import step_file
from whydied.records import Capture


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "streams").mkdir()
    monkeypatch.setattr(step_file, "_counts", {})
    journal.open_journal(str(tmp_path))
    yield tmp_path
    journal.close()


@pytest.mark.parametrize(
    "value",
    [
        numpy.arange(6, dtype="float32").reshape(2, 3),
        numpy.array([1, numpy.nan, -numpy.inf], "float16"),
        numpy.array(7, "int64"),
        numpy.zeros((0, 3)),
        numpy.array([True, False]),
        numpy.array([1 + 2j]),
        numpy.array([b"a", b"bcd"], object),
    ],
)
def test_a_value_comes_back(run: Path, value: numpy.ndarray) -> None:
    directory = step_file.open_capture()
    assert directory is not None
    file, reason = directory.array("a/b:0", value)
    assert (file, reason) == ("a_b_0.npy", "")
    back = step_file.load(directory.path, file, step_file.numbers_of(value).dtype)
    assert back.shape == value.shape
    assert back.dtype == value.dtype
    numpy.testing.assert_array_equal(back, value)


def test_what_is_no_plain_value_is_not_pickled(run: Path) -> None:
    directory = step_file.open_capture()
    assert directory is not None
    file, reason = directory.array("thing", numpy.array([{}], object))
    assert file is None
    assert reason


def test_the_step_is_written_last_and_for_its_owner_only(run: Path) -> None:
    directory = step_file.open_capture()
    assert directory is not None
    directory.array("x", numpy.ones(3))
    assert not (Path(directory.path) / "step.json").exists()
    size = directory.finish(Capture(kind="traced", suspects=[]))
    assert size == directory.size_bytes > 0
    decoded = msgspec.json.decode((Path(directory.path) / "step.json").read_bytes(), type=Capture)
    assert decoded.kind == "traced"
    for path in [Path(directory.path), *Path(directory.path).iterdir()]:
        assert path.stat().st_mode & 0o077 == 0


def test_captures_are_few(run: Path) -> None:
    names = [directory.name for directory in iter(step_file.open_capture, None)]
    assert names == [f"numerics/{os.getpid()}-{number}" for number in range(step_file.LARGEST_CAPTURES)]
    assert not step_file.may_capture()


def test_what_does_not_fit_is_left_out_with_its_reason(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_file, "LARGEST_RUN_BYTES", 1000)
    directory = step_file.open_capture()
    assert directory is not None
    file, reason = directory.array("x", numpy.zeros(1000))
    assert file is None
    assert "do not fit" in reason
    assert directory.array("y", numpy.zeros(10))[0] == "y.npy"
    assert not directory.bytes("graph.pb", b"x" * 2000)


def test_numbers() -> None:
    numbers = step_file.numbers_of(numpy.array([[3.0, -4.0, 0.0], [numpy.nan, numpy.inf, -numpy.inf]], "float32"))
    assert (numbers.nan, numbers.plus_infinity, numbers.minus_infinity, numbers.zeros) == (1, 1, 1, 1)
    assert (numbers.least, numbers.greatest, numbers.norm) == (-4.0, 3.0, 5.0)
    assert numbers.mean == pytest.approx(-1 / 3)
    assert numbers.nonfinite == 3


def test_numbers_of_extremes() -> None:
    large = step_file.numbers_of(numpy.full(4, 3e38, "float32"))
    assert large.norm == pytest.approx(6e38)
    nothing = step_file.numbers_of(numpy.array([numpy.nan]))
    assert (nothing.least, nothing.mean, nothing.norm) == (None, None, None)
    half = step_file.numbers_of(numpy.full(1000, 100.0, "float16"))
    assert half.norm is not None
    assert math.isclose(half.norm, 100 * math.sqrt(1000), rel_tol=1e-6)
    assert step_file.numbers_of(numpy.array([b"a"], object)).dtype == "string"
