"""A step that is traced with marked rows, told for other batches."""

from __future__ import annotations

from tests.unit.graph.drawing import Drawing, table
from whydied.graph.expansion import Bindings, Expansion, expand
from whydied.graph.marked_batch import choose, is_ambiguous, rebatched
from whydied.graph.op_table import Variable


def traced(rows: int) -> Expansion:
    drawing = Drawing()
    x = drawing.argument((rows, 8, 8, 3))
    kernel = drawing.argument((), "resource", variable=0)
    flat = drawing.op("Reshape", x, drawing.integers(rows * 64, 3), shape=(rows * 64, 3))
    half = drawing.op("Mystery", x, shape=(rows // 2, 5))
    read = drawing.op("ReadVariableOp", kernel, shape=(202, 4))
    made = table(drawing.function(flat, half, read), variables=(Variable("kernel", (202, 4), "float32"),))
    return expand(made, Bindings(rows))


def test_all_that_carries_the_batch_is_scaled_and_nothing_else() -> None:
    rows = choose([(8, 8, 3)])
    assert rows == 202
    found = rebatched(traced(rows), rows, 32)
    shapes = [found.cells[cell].shape for cell in found.results]
    assert shapes == [(32 * 64, 3), (16, 5), (202, 4)]
    assert [found.cells[cell].size_bytes for cell in found.results] == [32 * 64 * 3 * 4, 16 * 5 * 4, 202 * 4 * 4]
    assert found.batch.wanted == 32


def test_rows_are_chosen_that_no_size_of_a_row_is_a_multiple_of() -> None:
    assert choose([(101, 3)]) == 206
    assert choose([(404,), (103,), None]) == 214
    assert choose([], above=202) == 206


def test_a_size_that_looks_like_the_rows_is_seen() -> None:
    assert is_ambiguous((202, 101, 3), 202)
    assert not is_ambiguous((202, 100, 3), 202)
    assert not is_ambiguous(None, 202)
