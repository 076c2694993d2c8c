"""Which rows and columns of the batch bring the bad value; runs in the process of the replay.

Where the bad elements lie says which rows to suspect; a trial with good rows in their place proves it. Where that
fails, rows are searched by halves: a batch that is made of some rows only is finite where none of them is to blame.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from whydied.replay.execution.graph_nodes import Source
from whydied.replay.trials import Trials

LARGEST_COLUMNS = 4096
LARGEST_FOUND = 16
"""More columns than these are no column's fault."""
_LARGEST_GUESSES = 6


class FoundRows(NamedTuple):
    """Rows with which the step is bad and without which it is finite. `feeds` are the values whose rows matter."""

    rows: tuple[int, ...]
    feeds: tuple[Source, ...]


def guesses(bad: Any, batch_rows: int) -> list[tuple[int, ...]]:
    """Rows that the positions of bad elements point at, by each axis that may be the rows': the fewest first.

    An axis of B*T may be rows times steps or steps times rows; each is a guess of its own.
    """
    import numpy

    found: dict[tuple[int, ...], None] = {}
    for axis, length in enumerate(bad.shape):
        if not batch_rows or length % batch_rows or not length:
            continue
        hits = numpy.flatnonzero(bad.any(axis=tuple(other for other in range(bad.ndim) if other != axis)))
        inner = length // batch_rows
        found[tuple(sorted({int(hit) // inner for hit in hits}))] = None
        if inner > 1:
            found[tuple(sorted({int(hit) % batch_rows for hit in hits}))] = None
    proper = [rows for rows in found if 0 < len(rows) < batch_rows]
    return sorted(proper, key=len)[:_LARGEST_GUESSES]


def find(trials: Trials, suspected: Iterable[tuple[int, ...]]) -> FoundRows | None:
    """The rows that bring the bad value, proved by a trial; None where no rows alone do, or all of them."""
    batch = trials.batch
    if batch.rows < 2:
        return None
    rows = next((guess for guess in suspected if replaced(trials, guess, batch.row_feeds)), None)
    if rows is None:
        rows = _search(trials)
    if rows is None:
        return None
    return FoundRows(rows, _feeds(trials, rows))


def replaced(trials: Trials, rows: Sequence[int], feeds: Sequence[Source]) -> bool:
    """Whether the step is finite with other rows in the place of some."""
    donors = [row for row in range(trials.batch.rows) if row not in set(rows)]
    return bool(donors) and trials.is_finite(feeds=_with_rows(trials, rows, donors, feeds))


def _with_rows(
    trials: Trials, rows: Sequence[int], donors: Sequence[int], feeds: Iterable[Source]
) -> dict[Source, Any]:
    import numpy

    order = numpy.arange(trials.batch.rows)
    order[list(rows)] = [donors[at % len(donors)] for at in range(len(rows))]
    return {source: trials.batch.arrays[source][order] for source in feeds}


def _search(trials: Trials) -> tuple[int, ...] | None:
    """By halves. Once good rows are known, they fill up the batch, so that a row is tried among its like."""
    batch = trials.batch
    good: list[int] = []

    def holds_bad(rows: Sequence[int]) -> bool:
        others = [row for row in range(batch.rows) if row not in set(rows)]
        return not trials.is_finite(feeds=_with_rows(trials, others, good or list(rows), batch.row_feeds))

    bad = _halves(range(batch.rows), holds_bad, lambda: trials.is_searched, good)
    if bad is None or not bad or len(bad) == batch.rows:
        return None
    return tuple(bad) if replaced(trials, bad, batch.row_feeds) else None


def _halves(
    items: Sequence[int], holds_bad: Callable[[Sequence[int]], bool], is_over: Callable[[], bool], good: list[int]
) -> list[int] | None:
    """The items that are bad, by halving what holds one; None where it took too long. Adds to `good`."""
    bad: list[int] = []
    middle = len(items) // 2
    waiting = [items[middle:], items[:middle]]
    while waiting:
        if is_over():
            return None
        some = waiting.pop()
        if not some:
            continue
        if not holds_bad(some):
            good += some
        elif len(some) == 1:
            bad += some
        else:
            middle = len(some) // 2
            waiting += [some[middle:], some[:middle]]
    return sorted(bad)


def _feeds(trials: Trials, rows: Sequence[int]) -> tuple[Source, ...]:
    """The values of the batch whose rows matter: one alone where that is enough."""
    feeds = trials.batch.row_feeds
    if len(feeds) == 1:
        return tuple(feeds)
    enough = [source for source in feeds if replaced(trials, rows, [source])]
    if not enough:
        return tuple(feeds)
    # Where each of several helps, what is far from all other rows is to blame rather than what goes with it.
    return (max(enough, key=lambda source: unusual(trials.batch.arrays[source], rows)),)


def unusual(array: Any, rows: Sequence[int]) -> float:
    """How far some rows lie outside of what the others hold, in spans of those; 0 where they lie within."""
    import numpy

    if array.dtype.kind not in "fiu":
        return 0.0
    flat = array.reshape(array.shape[0], -1).astype(numpy.float64)
    chosen = numpy.zeros(len(flat), bool)
    chosen[list(rows)] = True
    if chosen.all() or not flat.shape[1]:
        return 0.0
    with numpy.errstate(all="ignore"):
        low, high = flat[~chosen].min(axis=0), flat[~chosen].max(axis=0)
        span = numpy.maximum(high - low, numpy.abs(flat[~chosen]).max() * 1e-6 + 1e-30)
        beyond = numpy.maximum(flat[chosen] - high, low - flat[chosen]) / span
        return max(0.0, float(numpy.nan_to_num(beyond, posinf=1e300).max()))


def find_columns(trials: Trials, found: FoundRows) -> tuple[int, ...]:
    """The columns of the rows that matter; () where they cannot be told, or nearly all do."""
    if len(found.feeds) != 1:
        return ()
    array = trials.batch.arrays[found.feeds[0]]
    width = array.size // max(1, array.shape[0])
    if array.ndim < 2 or not 1 < width <= LARGEST_COLUMNS:
        return ()
    donors = [row for row in range(trials.batch.rows) if row not in set(found.rows)]

    def finite(columns: Sequence[int], given: Sequence[int] = donors) -> bool:
        """With other values in these columns."""
        return trials.is_finite(feeds={found.feeds[0]: _with_columns(array, found.rows, given, columns)})

    def holds_bad(columns: Sequence[int], given: Sequence[int] = donors) -> bool:
        kept = set(columns)
        return not finite([column for column in range(width) if column not in kept], given)

    bad = _halves(range(width), holds_bad, lambda: trials.is_over, [])
    if not bad or len(bad) > LARGEST_FOUND or len(bad) == width or not finite(bad):
        return ()
    # Where it depends on the row that the other columns came from, it is not these columns that are bad.
    others = [donors[at:] + donors[:at] for at in (len(donors) // 3, 2 * len(donors) // 3) if at]
    return tuple(bad) if all(holds_bad(bad, given) for given in others) else ()


def _with_columns(array: Any, rows: Sequence[int], donors: Sequence[int], columns: Sequence[int]) -> Any:
    flat = array.reshape(array.shape[0], -1).copy()
    for at, row in enumerate(rows):
        flat[row, list(columns)] = flat[donors[at % len(donors)], list(columns)]
    return flat.reshape(array.shape)
