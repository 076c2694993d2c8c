"""Data of the program's that hold a value which an op refused. See `whydied.records`."""

from __future__ import annotations

from whydied.records.contracts import Term
from whydied.records.values import Frame, Important


class OutOfRangeFound(Important, frozen=True, kw_only=True):
    """Found at an uncaught exception, by looking at the data that flow into the line that failed. `term` is what the op
    asked, `value` what it refused, `name` the data as the source writes them. Rows count from zero over the whole of
    the data; `rows`, `values` and `columns` hold the first few, `count` is over the `rows_seen`. `least` and `greatest`
    are over all values. `matched` says that the batch which the exception quotes, or the place in it, was found in the
    data, `batch_row` the row at which that batch begins. `limit_name` and `limit_made` are the one layer that has that
    many outputs or rows, and its line. `numbering` is the one layer that makes ids of words or values and has more of
    them than allowed, `numbering_size` how many. Without a `name` no data were found that hold the value, as where it
    is made on the way."""

    name: str
    term: Term
    value: str
    rows: list[int] = []
    count: int = 0
    rows_seen: int = 0
    values: list[str] = []
    columns: list[list[int]] = []
    shape: list[int | None] = []
    dtype: str = ""
    least: float | None = None
    greatest: float | None = None
    matched: bool = False
    batch_row: int | None = None
    limit_name: str = ""
    limit_made: Frame | None = None
    numbering: str = ""
    numbering_made: Frame | None = None
    numbering_size: int = 0
    distinct: int | None = None
    """How many different values there are, where that could be counted."""
