"""Which rows of the program's own arrays the rows of a batch are; runs in the user's process, when something is wrong
already.

Invariant: rows are the same bit for bit, or the same after the conversion that the batch went through. Arrays
are looked for by name in the user's frames, in what their objects and dictionaries hold and in the modules of the
frames; no code of the user's runs. At most `SECONDS` are spent. A row that stands twice in an array is not known,
unless another part of the batch tells which one it is.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from types import FrameType
from typing import Any, NamedTuple

from whydied.inside import journal
from whydied.inside.guest.frame_variables import variables
from whydied.inside.guest.lookup import instance_dict

SECONDS = 1.0
LARGEST_ARRAYS = 200
LARGEST_BATCH = 4096
LARGEST_COMPARED = 200_000
_COLUMNS = 64
_LARGEST_WALK = 200
UNKNOWN = -1


class Rows(NamedTuple):
    """The name of an array as the user writes it, and for each row of the batch the row of the array, or `UNKNOWN`."""

    name: str
    rows: list[int]


class _Search:
    def __init__(self, frame: FrameType | None) -> None:
        self.until = time.monotonic() + SECONDS
        self.arrays = sorted(_arrays(frame), key=lambda pair: -len(pair[1]))

    def rows(self, batch: Any) -> tuple[Any, Rows] | None:
        """The array that has most of the rows of a batch."""
        best: tuple[int, Any, Rows] | None = None
        for name, array in self.arrays:
            if not comparable(array, batch) or time.monotonic() > self.until:
                continue
            found = rows_in(array, batch)
            if len(array) == len(batch) and found != list(range(len(batch))):
                # The variable of some batch, and not the data that batches are taken from.
                continue
            known = sum(row != UNKNOWN for row in found)
            if known and (best is None or known > best[0]):
                best = (known, array, Rows(name, found))
                if known == len(found):
                    break
        return best[1:] if best is not None else None

    def beside(self, batch: Any, rows: list[int]) -> Rows | None:
        """The array whose rows of these numbers are a batch."""
        import numpy

        index = numpy.array(rows)
        for name, array in self.arrays:
            if comparable(array, batch) and len(array) > index.max() and UNKNOWN not in rows:
                taken = _flat(array[index].astype(batch.dtype), batch)
                if taken.tobytes() == _flat(batch, batch).tobytes():
                    return Rows(name, rows)
        return None


def find(frame: FrameType | None, batches: list[Any]) -> list[Rows | None]:
    """For each part of a batch, where it is from."""
    import numpy

    parts = [batch if isinstance(batch, numpy.ndarray) and _searchable(batch) else None for batch in batches]
    if not any(part is not None for part in parts):
        return [None] * len(batches)
    search = _Search(frame)
    with numpy.errstate(all="ignore"):
        found = [None if part is None or _common(part) else search.rows(part) for part in parts]
        told = [None if one is None else one[1] for one in found]
        whole = next((one for one in told if one is not None and UNKNOWN not in one.rows), None)
        if whole is None:
            return told
        for number, part in enumerate(parts):
            known = told[number]
            if part is not None and len(part) == len(whole.rows) and (known is None or UNKNOWN in known.rows):
                told[number] = search.beside(part, whole.rows) or known
    return told


def name_of(frame: FrameType | None, thing: Any) -> str:
    """What the user calls a thing; "" where no frame has it."""
    return next((name for name, value in _named(frame) if value is thing), "")


def _searchable(batch: Any) -> bool:
    return batch.ndim >= 1 and 1 <= len(batch) <= LARGEST_BATCH and batch.dtype.kind in "biufS" and batch.size > 0


def _common(batch: Any) -> bool:
    """Rows that are one small number each stand in many arrays by chance: only what is beside them tells."""
    return bool(batch.dtype.kind in "biu" and math.prod(batch.shape[1:]) == 1)


def comparable(array: Any, batch: Any) -> bool:
    """Whether the rows of the batch can be rows of the array: a label may have been given another axis."""
    if array.dtype.kind not in "biuf" or batch.dtype.kind not in "biuf" or len(array) < len(batch):
        return False
    mine, other = array.shape[1:], batch.shape[1:]
    return bool(mine == other or (math.prod(mine) == math.prod(other) == 1))


def _flat(rows: Any, like: Any) -> Any:
    return rows.reshape(len(rows), math.prod(like.shape[1:]))


def rows_in(array: Any, batch: Any) -> list[int]:
    """For each row of a batch the row of an array that it is, after the conversion to the type of the batch."""
    import numpy

    wanted = numpy.ascontiguousarray(_flat(batch, batch))
    places: dict[bytes, list[int]] = {}
    for number, row in enumerate(wanted):
        places.setdefault(row.tobytes(), []).append(number)
    table = array.reshape(len(array), wanted.shape[1]) if array.ndim != 2 else array
    column = _telling(wanted)
    keys = table[:, column].astype(batch.dtype)
    candidates = numpy.flatnonzero(numpy.isin(_bits(keys), _bits(wanted[:, column])))
    found = [UNKNOWN] * len(batch)
    if len(candidates) > LARGEST_COMPARED:
        return found
    twice: set[int] = set()
    for row in candidates.tolist():
        for number in places.get(table[row].astype(batch.dtype).tobytes(), ()):
            if found[number] != UNKNOWN:
                twice.add(number)
            found[number] = row
    return [UNKNOWN if number in twice else row for number, row in enumerate(found)]


def agreed(array: Any, batch: Any, rows: list[int], others: list[list[int]]) -> list[int]:
    """The same rows, where one is not known that of another part of the batch, if it holds the same here."""
    found = list(rows)
    for number, row in enumerate(rows):
        for other in others if row == UNKNOWN else ():
            known = other[number] if number < len(other) else UNKNOWN
            if 0 <= known < len(array) and array[known].astype(batch.dtype).tobytes() == batch[number].tobytes():
                found[number] = known
                break
    return found


def _telling(wanted: Any) -> int:
    """The column in which the rows of the batch differ most, of some."""
    import numpy

    width = wanted.shape[1]
    columns = range(0, width, max(1, width // _COLUMNS))
    return max(columns, key=lambda column: len(numpy.unique(_bits(wanted[:, column]))))


def _bits(values: Any) -> Any:
    """As integers: a NaN is equal to nothing, also not to itself."""
    import numpy

    whole = numpy.ascontiguousarray(values)
    return whole.view(f"u{whole.dtype.itemsize}") if whole.dtype.itemsize in (1, 2, 4, 8) else whole


def _arrays(frame: FrameType | None) -> Iterator[tuple[str, Any]]:
    """Arrays of the user's by name, those of the innermost frames first, each once."""
    seen: set[int] = set()
    for name, value in _named(frame):
        if _is_array(value) and id(value) not in seen:
            seen.add(id(value))
            yield name, value
            if len(seen) >= LARGEST_ARRAYS:
                return


def _named(frame: FrameType | None) -> Iterator[tuple[str, Any]]:
    owner = journal.current()
    modules: list[dict[str, Any]] = []
    steps = 0
    while frame is not None and owner is not None and steps < _LARGEST_WALK:
        if owner.ownership.user_file(frame) is not None:
            yield from _within(variables(frame))
            if not any(frame.f_globals is one for one in modules):
                modules.append(frame.f_globals)
        frame = frame.f_back
        steps += 1
    for module in modules:
        yield from _within(list(module.items()))


def _within(pairs: list[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    yield from pairs
    for name, value in pairs:
        if name.startswith("__"):
            continue
        if type(value) is dict:
            yield from ((f"{name}[{key!r}]", one) for key, one in list(value.items()) if type(key) in (str, int))
        elif type(value) in (list, tuple):
            yield from ((f"{name}[{number}]", one) for number, one in enumerate(value[:8]))
        elif not isinstance(value, type) and type(type(value).__module__) is str:
            yield from ((f"{name}.{key}", one) for key, one in list(instance_dict(value).items()) if type(key) is str)


def _is_array(value: Any) -> bool:
    kind = type(value)
    return kind.__name__ in ("ndarray", "memmap") and kind.__module__.startswith("numpy") and value.ndim >= 1
