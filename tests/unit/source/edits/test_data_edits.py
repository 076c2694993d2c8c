"""Edits of the data that a program trains with: where it is scaled, which rows are left out."""

from __future__ import annotations

from tests.unit.source.edits.written import FILE, after, source_of, whole
from whydied.source.edits.runs.data_edits import filled, masked_rows, scaled, without_rows

FITTED = """
    import numpy as np
    x, y = load()
    z = 2 * x
    model.fit(x, y, validation_data=(x_val, y_val[:9]))
"""


def test_a_table_is_scaled_column_by_column_before_it_is_passed_on() -> None:
    source = source_of(FITTED)
    edit = scaled(source, FILE, "x", 2)
    assert edit is not None
    lines = (whole(source, [edit]) or "").splitlines()
    assert lines[3] == "x = (x - np.mean(x, axis=0)) / (np.std(x, axis=0) + 1e-7)"


def test_pixels_are_divided_by_255_and_other_images_are_not() -> None:
    source = source_of(FITTED)
    pixels = scaled(source, FILE, "x", 4, largest=250.0, negative=False)
    assert pixels is not None
    assert pixels.text == "x = x / 255.0\n"
    others = scaled(source, FILE, "x", 4, largest=250.0, negative=True)
    assert others is not None
    assert "np.mean(x)" in others.text


def test_data_of_a_loop_is_scaled_above_the_outermost_one() -> None:
    source = source_of(
        """
        def train(rows):
            for epoch in range(3):
                for start in range(0, 9, 3):
                    step(rows[start : start + 3])
        """
    )
    edit = scaled(source, FILE, "rows", 2)
    assert edit is not None
    assert (edit.start[0], edit.text) == (
        2,
        "    rows = (rows - rows.mean(axis=0)) / (rows.std(axis=0) + 1e-7)\n",
    )


def test_a_name_that_two_functions_train_with_is_not_scaled() -> None:
    source = source_of(
        """
        def one(x):
            model.fit(x)
        def other(x):
            model.fit(x)
        """
    )
    assert scaled(source, FILE, "x", 2) is None
    assert scaled(source, FILE, "self.x", 2) is None


def test_rows_are_chosen_where_an_expression_is_passed_with_others() -> None:
    source = source_of(FITTED)
    assert after(source, masked_rows(source, FILE, "x_val", 2)) == [
        "finite = np.isfinite(x_val).all(axis=1)",
        "model.fit(x, y, validation_data=(x_val[finite], y_val[:9][finite]))",
    ]
    assert masked_rows(source, FILE, "z", 2) == []


def test_rows_are_left_out_of_all_arrays_that_go_together() -> None:
    source = source_of(FITTED)
    assert after(source, without_rows(source, FILE, ["x", "y"], [3, 7])) == [
        "x, y = np.delete(x, [3, 7], axis=0), np.delete(y, [3, 7], axis=0)"
    ]
    assert without_rows(source, FILE, ["x", "unknown"], [3]) == []


def test_gaps_are_filled_only_where_numpy_is_at_hand() -> None:
    source = source_of(FITTED)
    edit = filled(source, FILE, "x")
    assert edit is not None
    assert edit.text.startswith("x = np.nan_to_num(x")
    assert filled(source_of("x = load()\nmodel.fit(x)\n"), FILE, "x") is None
