"""Looks at data block by block: what they are, and the rows that break a term; runs in the user's process.

Invariant: of the data themselves only the first `LARGEST_ROWS` rows that break a term are kept, as copies of at
most `LARGEST_KEPT_BYTES`. An examination may be broken off after any block and taken up again.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from whydied.inside import journal
from whydied.inside.public.contract.row_checks import NUMERIC_KINDS, Check, bad_elements, extremes_of, plain
from whydied.records import Numbers

LARGEST_ROWS = 20
LARGEST_VALUES = 8
LARGEST_KEPT_BYTES = 1 << 20
BLOCK_BYTES = 1 << 20
"""What fits into a processor's cache: a block is read twice."""
LARGEST_DISTINCT = 100
DIRECTORY = "contracts"
LARGEST_RUN_BYTES = 16 << 20
"""Of rows that are kept."""
_LARGEST_CLASS = 1000
_BLOCKS_OF_DISTINCT = 64
"""After so many blocks only a new least or greatest value is worth the time."""
_LONGEST_VALUE = 40
_numbers: dict[int, int] = {}
_written = 0


class Breach:
    """The rows that broke one term."""

    def __init__(self, check: Check) -> None:
        self.check = check
        self.count = 0
        self.rows: list[int] = []
        self.values: list[str] = []
        self.columns: list[list[int]] = []
        self.kept: list[Any] = []
        self._kept_bytes = 0

    def add(self, mask: Any, block: Any, first_row: int) -> None:
        import numpy

        flat = mask.reshape(mask.shape[0], -1) if mask.ndim else mask.reshape(1, 1)
        bad = numpy.flatnonzero(flat.any(axis=1))
        self.count += len(bad)
        for row in bad[: LARGEST_ROWS - len(self.rows)].tolist():
            self.rows.append(first_row + row)
            self._keep(mask, block, row)

    def _keep(self, mask: Any, block: Any, row: int) -> None:
        import numpy

        whole = block[row] if block.ndim else block
        if len(self.values) < LARGEST_VALUES:
            at = numpy.unravel_index(int(mask[row].argmax()), mask[row].shape) if mask.ndim > 1 else ()
            value = whole[at] if mask.ndim > 1 else whole
            self.values.append(text_of(value))
            self.columns.append([int(index) for index in at])
        if self._kept_bytes + whole.nbytes <= LARGEST_KEPT_BYTES:
            self._kept_bytes += whole.nbytes
            self.kept.append(numpy.array(whole))


def text_of(value: Any) -> str:
    """A value as a person writes it."""
    if getattr(value, "ndim", 0):
        text = "[" + " ".join(text_of(item) for item in value.reshape(-1)[:4]) + (" …]" if value.size > 4 else "]")
        return text[:_LONGEST_VALUE]
    item = value.item() if hasattr(value, "item") else value
    return (f"{item:g}" if isinstance(item, float) else repr(item))[:_LONGEST_VALUE]


class Examination:
    """Of one input. Rows are counted from the first that is shown."""

    def __init__(self, checks: Sequence[Check] = ()) -> None:
        self.rows_seen = 0
        self.shape: list[int | None] = []
        self.dtype = ""
        self.distinct: set[float] | None = set()
        self._breaches = [Breach(check) for check in checks]
        self._uniques = {id(breach): set[bytes]() for breach in self._breaches if breach.check.term.kind == "unique"}
        self._blocks = 0
        self._count = self._nan = self._plus = self._minus = 0
        self._least: float | None = None
        self._greatest: float | None = None

    def ask(self, checks: Sequence[Check]) -> None:
        """More is asked, of the rows that are still to come."""
        self._breaches += [Breach(check) for check in checks]

    def remember(self, earlier: Examination) -> None:
        """Rows that an earlier examination of the same checks has seen are repeated here."""
        for mine, theirs in zip(self._breaches, earlier._breaches, strict=True):
            if id(theirs) in earlier._uniques:
                self._uniques[id(mine)] = earlier._uniques[id(theirs)]

    @property
    def checks(self) -> list[Check]:
        return [breach.check for breach in self._breaches]

    @property
    def breaches(self) -> list[Breach]:
        return [breach for breach in self._breaches if breach.count]

    @property
    def numbers(self) -> Numbers | None:
        if not self._count:
            return None
        return Numbers(
            shape=[extent or 0 for extent in self.shape],
            dtype=self.dtype,
            count=self._count,
            nan=self._nan,
            plus_infinity=self._plus,
            minus_infinity=self._minus,
            least=self._least,
            greatest=self._greatest,
        )

    def look_at(self, array: Any) -> None:
        """At a whole array, in blocks."""
        for start, stop in blocks_of(array):
            self.look(array[start:stop], self.rows_seen)

    def look(self, block: Any, first_row: int) -> None:
        """At some rows. `first_row` is the number of the first."""
        self._notice(block)
        block = plain(block)
        rows = len(block)
        if not rows:
            return
        self.rows_seen += rows
        extremes = extremes_of(block)
        self._count_in(block, extremes.least, extremes.greatest, extremes.are_finite)
        for breach in self._breaches:
            if breach.check.term.kind == "unique":
                mask = _repeated(block, self._uniques[id(breach)])
            else:
                mask = bad_elements(breach.check, block, extremes)
            if mask is not None:
                breach.add(mask, block, first_row)

    def _notice(self, block: Any) -> None:
        shape: list[int | None] = [None, *block.shape[1:]]
        if not self.dtype:
            self.shape, self.dtype = shape, block.dtype.name
        elif shape != self.shape:
            if len(shape) == len(self.shape):
                self.shape = [one if one == other else None for one, other in zip(shape, self.shape, strict=True)]
            else:
                self.shape = []

    def _count_in(self, block: Any, least: float | None, greatest: float | None, finite: bool) -> None:
        import numpy

        if block.dtype.kind not in NUMERIC_KINDS:
            return
        self._count += block.size
        if not finite:
            with numpy.errstate(all="ignore"):
                self._nan += int(numpy.isnan(block).sum())
                self._plus += int((block == numpy.inf).sum())
                self._minus += int((block == -numpy.inf).sum())
            good = block[numpy.isfinite(block)]
            least, greatest = (float(good.min()), float(good.max())) if good.size else (None, None)
        if least is not None and greatest is not None:
            self._least = least if self._least is None else min(self._least, least)
            self._greatest = greatest if self._greatest is None else max(self._greatest, greatest)
        self._note_distinct(block, least, greatest, finite)

    def _note_distinct(self, block: Any, least: float | None, greatest: float | None, finite: bool) -> None:
        """The values of labels: few, whole, and not large."""
        import numpy

        if self.distinct is None or least is None or greatest is None:
            return
        self._blocks += 1
        if self._blocks > _BLOCKS_OF_DISTINCT and {least, greatest} <= self.distinct:
            return
        small = finite and greatest - least < _LARGEST_CLASS and (block.dtype.kind in "biu" or block[:1].size <= 16)
        if not small or (block.dtype.kind == "f" and bool((numpy.floor(block) != block).any())):
            self.distinct = None
            return
        offset = int(least)
        counted = numpy.bincount(block.reshape(-1).astype("int64") - offset)
        self.distinct.update(float(value + offset) for value in numpy.flatnonzero(counted).tolist())
        if len(self.distinct) > LARGEST_DISTINCT:
            self.distinct = None


def blocks_of(array: Any, start: int = 0) -> Any:
    """The first and last row of each block, from a row on."""
    rows = len(array)
    each = max(1, BLOCK_BYTES * rows // max(1, array.nbytes)) if rows else 1
    while start < rows:
        stop = min(start + each, rows)
        yield start, stop
        start = stop


def _repeated(block: Any, known: set[bytes]) -> Any:
    """Rows that were there before."""
    import numpy

    mask = numpy.zeros(len(block), bool)
    for row in range(len(block)):
        item = block[row]
        key = item.tobytes() if block.dtype.kind != "O" else repr(item).encode()
        mask[row] = key in known
        known.add(key)
    return mask if mask.any() else None


def keep_rows(rows: list[Any]) -> str:
    """Write rows of one shape into a file of the run's directory that only its owner may read. Returns the file,
    relative to the run's directory, or "" where they are not kept."""
    global _written
    owner = journal.current()
    array = _stacked(rows)
    if owner is None or array is None or _written + array.nbytes > LARGEST_RUN_BYTES:
        return ""
    import numpy

    directory = os.path.join(owner.run, DIRECTORY)
    os.makedirs(directory, mode=0o700, exist_ok=True)
    pid = os.getpid()
    _numbers[pid] = number = _numbers.get(pid, 0) + 1
    name = f"{pid}-{number}.npy"
    descriptor = os.open(
        os.path.join(directory, name), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
    )
    with open(descriptor, "wb") as stream:
        numpy.lib.format.write_array(stream, array, allow_pickle=False)
    _written += array.nbytes
    return f"{DIRECTORY}/{name}"


def _stacked(rows: list[Any]) -> Any:
    import numpy

    if not rows or len({row.shape for row in rows}) > 1 or rows[0].dtype.hasobject:
        return None
    return plain(numpy.stack(rows))
