"""Finds the rows of a batch in the arrays of the program's; runs in the user's process, at a capture.

Candidates are what the program passed to `fit`, what the slices of a data set are made of, what a data set of Keras
holds, and the arrays that the running code has names for. How rows are compared is in `array_rows`.

Invariant: no more than `SECONDS` are spent on a capture. A row that occurs several times, such as a label, is
given the place that other arrays of the same batch agree on, or none. The variable of the batch itself is no data set.
"""

from __future__ import annotations

import math
import time
from types import FrameType
from typing import Any, NamedTuple

from whydied.inside import journal
from whydied.inside.guest.frame_variables import variables
from whydied.inside.guest.live_source import source
from whydied.inside.guest.lookup import instance_dict
from whydied.inside.numerics import array_rows, waiting_frames
from whydied.source.statements import changing_names

SECONDS = 1.0
LARGEST_ARRAYS = 64
_CALLS = frozenset({"fit", "train_on_batch", "evaluate", "test_on_batch"})
_PARTS = ("x", "y", "sample_weight")
_DEEPEST = 20


class Rows(NamedTuple):
    """The rows of the array `data_set`, -1 where one is not known."""

    rows: list[int]
    data_set: str


class _Candidate(NamedTuple):
    """`lasting` says that the name is given once, and not for each batch anew; `inner`, that it is what a data set is
    made of, for which the program may have a better name."""

    name: str
    array: Any
    lasting: bool = True
    inner: bool = False


class Finder:
    def __init__(self) -> None:
        self._until = time.monotonic() + SECONDS
        self._candidates: list[_Candidate] | None = None
        self._found: list[list[int]] = []

    def find(self, name: str, batch: Any) -> Rows | None:
        """Where the rows of a value of the batch come from."""
        if getattr(batch, "ndim", 0) < 1 or not 0 < len(batch) <= 100_000 or batch.dtype.kind == "O":
            return None
        if self._candidates is None:
            self._candidates = candidates()
        fitting = [one for one in self._candidates if _fits(one, batch)]
        # What has more rows than the batch first: it may be passed whole too. Then the argument of the same name: two
        # arrays may hold equal rows.
        fitting.sort(
            key=lambda one: (len(one.array) <= len(batch), one.name.partition("[")[0] != name.partition("[")[0])
        )
        best: Rows | None = None
        for one in fitting:
            if time.monotonic() > self._until:
                break
            rows = self._rows(batch, one.array)
            known = sum(row >= 0 for row in rows)
            if known and (best is None or known > sum(row >= 0 for row in best.rows)):
                best = Rows(rows, self._plain_name(one, rows, batch) if known == len(rows) else one.name)
            if known == len(rows):
                break
        if best is not None:
            self._found.append(best.rows)
        return best

    def _plain_name(self, found: _Candidate, rows: list[int], batch: Any) -> str:
        """Of the slices of a data set, the name of the array that they were taken from, where it has one."""
        import numpy

        for one in self._candidates or () if found.inner else ():
            if one.inner or not one.lasting or tuple(one.array.shape) != tuple(found.array.shape):
                continue
            taken = numpy.asarray(one.array)[rows].reshape(batch.shape)
            if numpy.array_equal(taken, batch, equal_nan=batch.dtype.kind == "f"):
                return one.name
        return found.name

    def _rows(self, batch: Any, array: Any) -> list[int]:
        import numpy

        data = numpy.asarray(array)
        if len(data) != len(array):
            return [array_rows.UNKNOWN] * len(batch)
        with numpy.errstate(all="ignore"):
            rows = array_rows.rows_in(data, batch)
            return array_rows.agreed(data.reshape(len(data), *batch.shape[1:]), batch, rows, self._found)


def candidates() -> list[_Candidate]:
    """Arrays and tensors of the program's by the names that it has for them, the passed ones first."""
    found: list[_Candidate] = []
    owned = {id(frame) for frame in waiting_frames.user_frames()}
    stack = waiting_frames.stack()
    calls = [frame for frame in stack if frame.f_code.co_name in _CALLS and "keras" in frame.f_code.co_filename]
    outermost = calls[-1] if calls else None
    validates = len(calls) > 1 and calls[0].f_code.co_name == "evaluate"
    for frame in stack:
        if frame is outermost and not validates:
            names = dict(variables(frame))
            for name in _PARTS:
                found += _arrays(name, names.get(name), 2)
        elif id(frame) in owned:
            passing = _passing_names(frame)
            for name, value in variables(frame):
                if not name.startswith("_"):
                    lasting = name not in passing
                    found += [one._replace(lasting=lasting) for one in _arrays(name, value, 1)]
        if len(found) > LARGEST_ARRAYS:
            break
    if validates:
        # Keras calls it x here, which is not the x of `fit`; last, so that the program's own name comes first.
        names = dict(variables(calls[0]))
        for at, name in enumerate(_PARTS):
            found += _arrays(f"validation_data[{at}]", names.get(name), 2)
    # Of several names for the same array one that lasts.
    distinct: dict[int, _Candidate] = {}
    for one in found:
        known = distinct.get(id(one.array))
        if known is None or (one.lasting and not known.lasting):
            distinct[id(one.array)] = one
    return list(distinct.values())[:LARGEST_ARRAYS]


def _passing_names(frame: FrameType) -> frozenset[str]:
    """The names of a frame that stand for something else in each round of a loop, or in each call."""
    code = frame.f_code
    names = set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    owner = journal.current()
    file = owner.ownership.user_file(frame) if owner is not None else None
    parsed = source(file) if file is not None else None
    return frozenset(names | changing_names(parsed.tree) if parsed is not None else names)


def _arrays(name: str, value: Any, depth: int) -> list[_Candidate]:
    if _is_array(value):
        return [_Candidate(name, value)]
    if type(value) in (list, tuple) and depth and len(value) <= 32:
        parts = [(f"{name}[{number}]", part) for number, part in enumerate(value)]
    elif type(value) is dict and depth and len(value) <= 256:
        parts = [(f"{name}[{key!r}]", part) for key, part in value.items()]
    elif type(value).__module__.startswith("tensorflow.python.data."):
        return _of_data_set(name, value)
    elif type(value).__module__.partition(".")[0] == "pandas":
        return _of_frame(name, value)
    elif any(kind.__name__ in ("PyDataset", "Sequence") and "keras" in kind.__module__ for kind in type(value).__mro__):
        parts = [(f"{name}.{key}", part) for key, part in instance_dict(value).items() if isinstance(key, str)]
        depth = 1
    else:
        return []
    return [found for part_name, part in parts for found in _arrays(part_name, part, depth - 1)]


def _of_data_set(name: str, data_set: Any) -> list[_Candidate]:
    """The tensors that the slices of a data set are made of."""
    found: list[_Candidate] = []
    waiting = [(data_set, 0)]
    while waiting:
        one, depth = waiting.pop()
        own = instance_dict(one)
        tensors = own.get("_tensors")
        if isinstance(tensors, list):
            single = len(tensors) == 1
            found += [
                _Candidate(name if single else f"{name}[{number}]", tensor, inner=True)
                for number, tensor in enumerate(tensors)
                if _is_array(tensor)
            ]
        inner = [own.get("_input_dataset"), own.get("_dataset")]
        inputs = own.get("_input_datasets") or own.get("_datasets")
        inner += list(inputs) if isinstance(inputs, (list, tuple)) else []
        waiting += [(part, depth + 1) for part in inner if part is not None and depth < _DEEPEST]
    return found


def _of_frame(name: str, table: Any) -> list[_Candidate]:
    own = getattr(table, "to_numpy", None)
    return [_Candidate(name, own())] if callable(own) and getattr(table, "size", 1 << 30) < 1 << 24 else []


def _is_array(value: Any) -> bool:
    kind = type(value)
    return (kind.__module__ == "numpy" and kind.__name__ in ("ndarray", "memmap")) or (
        kind.__name__ == "EagerTensor" and hasattr(value, "_numpy")
    )


def _fits(one: _Candidate, batch: Any) -> bool:
    shape = tuple(one.array.shape)
    if len(shape) == 0 or shape[0] < 1 or (not one.lasting and shape[0] <= len(batch)):
        return False
    name = getattr(one.array.dtype, "name", "")
    if math.prod(shape[1:]) != math.prod(batch.shape[1:]):
        return False
    return name == batch.dtype.name or (batch.dtype.kind in "fiu" and name.startswith(("float", "int", "uint")))
