"""Windows of a series that a program gathers in a list, shown without a copy and fed batch by batch."""

from __future__ import annotations

import pytest

from tests.unit.source.edits.written import FILE, after, source_of
from whydied.source.edits.memory.window_views import fed_in_batches, joined_names, shown_windows, windows_of

LOOP = """
import numpy as np
from tensorflow import keras
def windows(data, n, ahead):
    x, y = [], []
    for row in range({bounds}):
        x.append(data[{cut}])
        y.append(data[row + ahead, 0])
    return np.array(x), np.array(y)
"""
JOINED = 8


def _shown(bounds: str, cut: str) -> str | None:
    source = source_of(LOOP.format(bounds=bounds, cut=cut))
    edit = shown_windows(source, FILE, JOINED, "x", "np")
    return after(source, [edit])[0] if edit is not None else None


@pytest.mark.parametrize(
    ("bounds", "cut", "shown"),
    [
        ("n, len(data) - ahead", "row - n : row", "n, axis=0), -1, 1)[0 : len(data) - ahead - n]"),
        ("len(data) - n", "row : row + n", "n, axis=0), -1, 1)[0 : len(data) - n]"),
        ("0, 90, 3", "row : n + row", "n, axis=0), -1, 1)[0 : 90 : 3]"),
        ("n, 90", "row - n : row + 1", "1 + n, axis=0), -1, 1)[0 : 90 - n]"),
    ],
)
def test_windows_are_shown_where_they_are(bounds: str, cut: str, shown: str) -> None:
    head = "return np.moveaxis(np.lib.stride_tricks.sliding_window_view(data, "
    assert _shown(bounds, cut) == f"{head}{shown}, np.array(y)"


@pytest.mark.parametrize("cut", ["row", "2 * row : 2 * row + n", "row : n", "row : row + n, 1:3", "row : row + n : 2"])
def test_what_does_not_move_with_the_loop_is_left(cut: str) -> None:
    assert _shown("90", cut) is None


def test_a_list_that_something_else_fills_too_is_left() -> None:
    text = LOOP.format(bounds="90", cut="row : row + n").replace("    return", "    x.append(more)\n    return")
    assert windows_of(source_of(text), JOINED + 1, "x") is None
    assert joined_names(source_of(text), JOINED + 1) == ["x", "y"]


def test_windows_of_a_comprehension() -> None:
    text = "import numpy as np\nparts = [x[i : i + 9] for i in range(0, len(x) - 9, 3){more}]\ny = np.stack(parts)\n"
    source = source_of(text.format(more=""))
    edit = shown_windows(source, FILE, 3, "parts", "np")
    assert edit is not None
    assert edit.text.endswith("sliding_window_view(x, 9, axis=0), -1, 1)[0 : len(x) - 9 : 3]")
    assert shown_windows(source_of(text.format(more=" if ok[i]")), FILE, 3, "parts", "np") is None


def test_the_shown_windows_are_those_that_were_copied() -> None:
    np = pytest.importorskip("numpy")
    data = np.arange(60).reshape(20, 3)
    for bounds, cut in [("n, len(data) - ahead", "row - n : row"), ("0, 9, 3", "row : n + row")]:
        source = source_of(LOOP.format(bounds=bounds, cut=cut).replace("from tensorflow import keras\n", ""))
        edit = shown_windows(source, FILE, JOINED - 1, "x", "np")
        assert edit is not None
        copied, shown = {}, {}
        exec(source.exact, copied)
        exec(source.exact.replace("return np.array(x)", f"return {edit.text}"), shown)
        assert (copied["windows"](data, 4, 2)[0] == shown["windows"](data, 4, 2)[0]).all()


def test_fit_gets_batches() -> None:
    source = source_of("import keras\nmodel.fit(x, y, batch_size=64, epochs=2)\n")
    text = after(source, fed_in_batches(source, FILE))
    assert text[-1] == "model.fit(ArrayBatches(x, y, 64), epochs=2)"
    assert "class ArrayBatches(keras.utils.Sequence):" in text


@pytest.mark.parametrize(
    "call", ["fit(x)", "fit(x, y, validation_split=0.1)", "fit([a, b], y)", "fit(x, y, **more)", "fit(x, y, 9, 2, 1)"]
)
def test_other_calls_of_fit_are_left(call: str) -> None:
    assert fed_in_batches(source_of(f"import keras\nmodel.{call}\n"), FILE) == []
