"""The data that hold a label or an index which an op refused, looked at whole; runs in the user's process, at an
uncaught exception.

Invariant: no code of the user's runs, nothing is changed or kept. TensorFlow quotes the batch at most; the data
set is found by what flows into the line that failed (`data_flow.py`), and data count only where they hold the very
value that was refused. Where several do, the one that holds the quoted batch in its order is taken, else the likeliest
by its form; the record says which of both it was.
"""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any, NamedTuple

import msgspec

from whydied.inside.errors import data_flow
from whydied.inside.errors.data_flow import Flowing
from whydied.inside.errors.framework.value_sources import line_of_layer
from whydied.inside.guest import guard
from whydied.inside.guest.guard import guarded
from whydied.inside.guest.lookup import instance_dict
from whydied.inside.guest.ownership import Ownership
from whydied.inside.model import layer_lines
from whydied.inside.public.contract import pipeline_arrays
from whydied.inside.public.contract.data_parts import array_of, leaves_of
from whydied.inside.public.contract.row_checks import Check
from whydied.inside.public.contract.row_examination import Examination, blocks_of
from whydied.records import Frame, OutOfRangeFound, Term
from whydied.texts import range_error
from whydied.texts.range_error import RangeError
from whydied.words import contract_terms

LARGEST_S = 0.7
LARGEST_LINKS = 10
LARGEST_COUNTED = 4_000_000
"""Values of which the different ones are counted."""
_TARGET_WORDS = frozenset({"1", "y", "labels", "y_true", "target", "targets"})
_LONGEST_CHAIN = 50
_NUMBERING = ("TextVectorization", "StringLookup", "IntegerLookup", "Hashing")


class Candidate(NamedTuple):
    flowing: Flowing
    array: Any
    examination: Examination
    matched: bool
    batch_row: int | None
    score: float


@guarded("data_facts.gather")
def gather(error: BaseException, trace: TracebackType | None, ownership: Ownership) -> list[OutOfRangeFound]:
    """What is found for the first exception of the chain that speaks of a value out of range; empty for others."""
    if "numpy" not in sys.modules:
        return []
    current: BaseException | None = error
    for _ in range(LARGEST_LINKS):
        if current is None:
            return []
        complaint = _complaint(current)
        if complaint is not None and complaint.high is not None:
            return _found(complaint, current.__traceback__ or trace, trace, ownership)
        current = current.__cause__ or current.__context__
    return []


def _complaint(error: BaseException) -> RangeError | None:
    message = getattr(error, "message", None) if type(error).__module__.startswith("tensorflow.") else None
    return range_error.parse(message) if isinstance(message, str) else None


def _found(
    complaint: RangeError, inner: TracebackType | None, outer: TracebackType | None, ownership: Ownership
) -> list[OutOfRangeFound]:
    term = _term(complaint)
    until = time.monotonic() + LARGEST_S
    values = data_flow.flowing(inner, ownership)
    if outer is not inner:
        values += data_flow.flowing(outer, ownership)
    best: Candidate | None = None
    for one in values:
        for part in _parts(one):
            found = _candidate(part, complaint, term, until)
            if found is not None and (best is None or found.score > best.score):
                best = found
    if best is not None:
        return [_record(best, complaint, term)]
    return _of_layers(OutOfRangeFound(name="", term=term, value=str(complaint.value)), complaint)


def _of_layers(bare: OutOfRangeFound, complaint: RangeError) -> list[OutOfRangeFound]:
    """What the layers tell of a value that no data hold."""
    name, made = _limit(complaint)
    numbering = _numbering(complaint)
    if not name and numbering is None:
        return []
    found = msgspec.structs.replace(bare, limit_name=name, limit_made=made)
    if numbering is None:
        return [found]
    layer, size = numbering
    origin = layer_lines.origin(layer)
    return [
        msgspec.structs.replace(
            found,
            numbering=f"{origin.type} '{origin.name}'" if origin.name else origin.type,
            numbering_made=line_of_layer(layer),
            numbering_size=size,
        )
    ]


def _numbering(complaint: RangeError) -> tuple[Any, int] | None:
    """The one layer that makes ids which reach the refused value, and how many ids it has."""
    fitting: dict[str, tuple[Any, int]] = {}
    for reference, line in list(layer_lines.layers.known.values()):
        layer = reference()
        size = _ids(layer) if layer is not None and type(layer).__name__ in _NUMBERING else None
        if size is not None and size > complaint.value >= (complaint.high or 0):
            # A TextVectorization has a StringLookup in it, which was made on the same line.
            fitting.setdefault(str(line), (layer, size))
    return next(iter(fitting.values())) if len(fitting) == 1 else None


def _ids(layer: Any) -> int | None:
    if type(layer).__module__.partition(".")[0] not in ("keras", "tf_keras"):
        return None
    try:
        bins = instance_dict(layer).get("num_bins")
        return bins if isinstance(bins, int) else int(layer.vocabulary_size())
    except Exception as error:
        if guard.is_the_users(error):
            raise
        return None


def _term(complaint: RangeError) -> Term:
    size = complaint.high or 0
    if complaint.kind == "label":
        return contract_terms.classes(size, "op", f"{complaint.op or 'the loss'} over {size} outputs")
    return contract_terms.vocabulary(size, "op", complaint.op)


def _parts(one: Flowing) -> list[Flowing]:
    """The arrays of a value; of a pipeline those that it reads from, whatever is done to their rows later."""
    if pipeline_arrays.is_dataset(one.value):
        held = pipeline_arrays.source_arrays(_source(one.value))
        leaves = (
            leaves_of(held, one.name) if held is not None and not isinstance(held, pipeline_arrays.SourceArray) else []
        )
        alone = [one._replace(value=held.tensor)] if isinstance(held, pipeline_arrays.SourceArray) else []
        inner = [(leaf.name, leaf.value) for leaf in leaves if isinstance(leaf.value, pipeline_arrays.SourceArray)]
        return [
            *alone,
            *(one._replace(name=name, value=value.tensor, distance=one.distance + 2) for name, value in inner),
        ]
    return [one]


def _source(dataset: Any) -> Any:
    for _ in range(_LONGEST_CHAIN):
        below = instance_dict(dataset).get("_input_dataset")
        if below is None:
            return dataset
        dataset = below
    return dataset


def _candidate(one: Flowing, complaint: RangeError, term: Term, until: float) -> Candidate | None:
    array = array_of(one.value)
    if array is None or not array.size or array.dtype.kind not in "iuf" or time.monotonic() > until:
        return None
    if not _holds(array, complaint.value):
        return None
    looked = Examination([Check(term)])
    for first, last in blocks_of(array):
        looked.look(array[first:last], first)
        if time.monotonic() > until:
            break
    if not looked.breaches:
        return None
    row = _batch_row(array, complaint)
    matched = row is not None or _is_at(array, complaint)
    return Candidate(one, array, looked, matched, row, _score(one, array, looked, complaint, row is not None, matched))


def _holds(array: Any, value: int) -> bool:
    """Whether an array of whole numbers has a value."""
    import numpy

    with numpy.errstate(all="ignore"):
        if array.dtype.kind == "f" and not bool((numpy.floor(array[:1000]) == array[:1000]).all()):
            return False
        return bool((array == value).any())


def _batch_row(array: Any, complaint: RangeError) -> int | None:
    """The row at which the quoted batch begins, where the data have one value a row."""
    import numpy

    batch = numpy.asarray(complaint.batch)
    flat = array.reshape(-1)
    if len(batch) < 2 or array.size != len(array) or len(flat) < len(batch):
        return None
    starts = numpy.flatnonzero(flat[: len(flat) - len(batch) + 1] == batch[0])
    for start in starts[:100_000].tolist():
        if bool((flat[start : start + len(batch)] == batch).all()):
            return int(start)
    return None


def _is_at(array: Any, complaint: RangeError) -> bool:
    """Whether the refused index stands at its place within a row of the data: the same axes, the same column."""
    at = complaint.at
    if complaint.kind != "index" or len(at) != array.ndim or len(at) < 2:
        return False
    if any(place >= extent for place, extent in zip(at[1:], array.shape[1:], strict=True)):
        return False
    return bool((array[(slice(None), *at[1:])] == complaint.value).any())


def _score(
    one: Flowing, array: Any, looked: Examination, complaint: RangeError, in_order: bool, matched: bool
) -> float:
    """How likely these are the data. The whole is worth more than the batch that was cut out of it."""
    numbers = looked.numbers
    greatest = numbers.greatest if numbers is not None and numbers.greatest is not None else 0.0
    each = array.size // max(1, len(array))
    score = 8.0 * in_order + 4.0 * matched
    score += 2.0 * (complaint.kind == "label" and (each == 1 or one.word in _TARGET_WORDS))
    score += 2.0 * (complaint.kind == "index" and len(complaint.at) == array.ndim)
    score += 1.0 * (array.dtype.kind in "iu")
    score -= 3.0 * (greatest > 4.0 * (complaint.high or 1) + abs(complaint.value))
    score -= 2.0 * (sum(breach.count for breach in looked.breaches) > 0.9 * looked.rows_seen)
    # Among equals: the larger, then the nearer.
    return score + min(len(array), 1 << 40) / (1 << 42) - one.distance / (1 << 44)


def _record(best: Candidate, complaint: RangeError, term: Term) -> OutOfRangeFound:
    breach = best.examination.breaches[0]
    numbers = best.examination.numbers
    name, made = _limit(complaint)
    return OutOfRangeFound(
        name=best.flowing.name,
        term=term,
        value=str(complaint.value),
        rows=list(breach.rows),
        count=breach.count,
        rows_seen=best.examination.rows_seen,
        values=list(breach.values),
        columns=list(breach.columns),
        shape=list(best.array.shape),
        dtype=best.array.dtype.name,
        least=numbers.least if numbers is not None else None,
        greatest=numbers.greatest if numbers is not None else None,
        matched=best.matched,
        batch_row=best.batch_row,
        limit_name=name,
        limit_made=made,
        distinct=_distinct(best.array),
    )


def _distinct(array: Any) -> int | None:
    import numpy

    return len(numpy.unique(array)) if array.size <= LARGEST_COUNTED else None


def _limit(complaint: RangeError) -> tuple[str, Frame | None]:
    """The one layer that has so many rows (an Embedding) or outputs, with the line that made it."""
    wanted = "units" if complaint.kind == "label" else "input_dim"
    alive = [reference() for reference, _ in list(layer_lines.layers.known.values())]
    fitting = [layer for layer in alive if layer is not None and instance_dict(layer).get(wanted) == complaint.high]
    if len(fitting) != 1:
        return "", None
    origin = layer_lines.origin(fitting[0])
    return f"{origin.type} '{origin.name}'" if origin.name else origin.type, line_of_layer(fitting[0])
