"""A step with a batch that can be told from all other sizes, for any other batch. Pure.

TensorFlow fuses and rewrites a graph of known sizes differently from one that leaves the batch open. So a step of known
sizes is traced with a number of rows that carries a large prime, which no other size is a multiple of: a size of the
trace that is one carries the batch, as `rows`, `rows * height * width`, or `rows / 2`. The number is small, because
TensorFlow computes what is constant while it makes the graph ready, some of it with all rows.
"""

from __future__ import annotations

from collections.abc import Iterable

from whydied.graph.expansion import Cell, Expansion
from whydied.graph.op_table import Dims, element_bytes, elements

_FIRST_PRIME = 101
_PARTS = 2
"""A batch that is cut into halves stays whole."""


def choose(shapes: Iterable[Dims | None], above: int = 0) -> int:
    """Rows to trace with, more than some: no extent of these shapes of a row is a multiple of their prime."""
    extents = {extent for shape in shapes if shape for extent in shape if extent}
    prime = max(_FIRST_PRIME, above // _PARTS + 1)
    while not _is_prime(prime) or any(extent % prime == 0 for extent in extents):
        prime += 1
    return prime * _PARTS


def is_ambiguous(shape: Dims | None, traced: int) -> bool:
    """Whether another size of a tensor cannot be told from its rows."""
    return sum(1 for extent in shape or () if extent and extent % (traced // _PARTS) == 0) > 1


def _is_prime(number: int) -> bool:
    return all(number % part for part in range(2, int(number**0.5) + 1))


def rebatched(expansion: Expansion, traced: int, wanted: int) -> Expansion:
    """The step of so many rows that `choose` gave, with as many as are wanted."""
    prime = traced // _PARTS

    def scaled(cell: Cell) -> Cell:
        if cell.variable >= 0 or not any(extent and extent % prime == 0 for extent in cell.shape):
            return cell
        shape = tuple(e * wanted // traced if e and e % prime == 0 else e for e in cell.shape)
        found = Cell(cell.node, shape, cell.dtype, cell.value)
        found.items, found.source, found.in_rows = cell.items, cell.source, cell.in_rows
        if cell.size_bytes != elements(cell.shape) * element_bytes(cell.dtype):
            # Not known by its shape alone.
            found.size_bytes = cell.size_bytes * wanted // traced
        return found

    batch = expansion.batch._replace(traced=wanted, wanted=wanted)
    return expansion._replace(cells=[scaled(cell) for cell in expansion.cells], batch=batch)
