"""Rows of a batch found again in the arrays of a program."""

from __future__ import annotations

import numpy
import pytest

from whydied.inside.numerics import data_set_rows
from whydied.inside.numerics.data_set_rows import Finder, _Candidate

X = numpy.random.RandomState(0).rand(50, 3).astype("float32")
Y = (numpy.arange(50) % 4).astype("int64")
ORDER = [7, 3, 49, 20]


def _finder(monkeypatch: pytest.MonkeyPatch, **arrays: numpy.ndarray) -> Finder:
    found = [_Candidate(name, array) for name, array in arrays.items()]
    monkeypatch.setattr(data_set_rows, "candidates", lambda: found)
    return Finder()


def test_shuffled_rows_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = _finder(monkeypatch, x=X, other=X[::-1].copy()).find("x", X[ORDER])
    assert rows is not None
    assert (rows.rows, rows.data_set) == (ORDER, "x")


def test_nan_rows_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    bad = X.copy()
    bad[20, 1] = numpy.nan
    rows = _finder(monkeypatch, x=bad).find("x", bad[ORDER])
    assert rows is not None
    assert rows.rows == ORDER


def test_labels_that_repeat_go_with_the_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    finder = _finder(monkeypatch, x=X, y=Y)
    finder.find("x", X[ORDER])
    rows = finder.find("y", Y[ORDER])
    assert rows is not None
    assert (rows.rows, rows.data_set) == (ORDER, "y")


def test_labels_alone_are_not_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = _finder(monkeypatch, y=Y).find("y", Y[ORDER])
    assert rows is None or set(rows.rows) == {-1}


def test_rows_that_are_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _finder(monkeypatch, x=X).find("x", X[ORDER] * 2) is None
    assert _finder(monkeypatch, x=X[:, :2].copy()).find("x", X[ORDER]) is None
    assert _finder(monkeypatch, x=X).find("x", numpy.float32(3.0)) is None


def test_rows_prepared_for_some_only(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = X[ORDER].copy()
    batch[1] += 1
    rows = _finder(monkeypatch, x=X).find("x", batch)
    assert rows is not None
    assert rows.rows == [7, -1, 49, 20]


def test_rows_that_were_converted(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = _finder(monkeypatch, x=X.astype("float64")).find("x", X[ORDER])
    assert rows is not None
    assert rows.rows == ORDER


def test_the_variable_of_the_batch_itself_is_no_data_set(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = X[ORDER]
    for lasting, expected in ((True, [0, 1, 2, 3]), (False, None)):
        monkeypatch.setattr(data_set_rows, "candidates", lambda lasting=lasting: [_Candidate("given", batch, lasting)])
        rows = Finder().find("given", batch)
        assert (rows.rows if rows is not None else None) == expected


def test_the_slices_of_a_data_set_are_called_what_the_program_calls_their_array(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inner = _Candidate("batches[0]", X.copy(), inner=True)
    for other, expected in (("images", "images"), ("reversed", "batches[0]")):
        plain = _Candidate(other, X if other == "images" else X[::-1].copy())
        monkeypatch.setattr(data_set_rows, "candidates", lambda plain=plain: [inner, plain])
        rows = Finder().find("batches", X[ORDER])
        assert rows is not None
        assert (rows.rows, rows.data_set) == (ORDER, expected)
