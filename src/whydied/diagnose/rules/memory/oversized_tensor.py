"""One tensor or array is as large as the memory there is.

## What it detects
A single request that was refused (`MemoryError`, `ResourceExhaustedError`), or a program that was killed while
one statement made one tensor or array.

## Why it happens
A shape with one dimension too many, a product of two long vectors, a distance between all pairs of rows, a
one-hot table of a large vocabulary, or of a column that is different in every row.

## Evidence
For a refusal the exception with the size, shape and dtype that it asked for. For a kill the memory before the
last statement and at the end; the shape, where the source gives it as numbers; the operands with their shapes
from the last census. Where NumPy was refused, the different values of the text columns of the table in the statement.

## How it is proved
A refusal is certain, where the request is at least a quarter of the limit or of the memory there was; a
smaller one was only the last straw. A kill is likely, where the last statement took at least half of what the
program held above its libraries (or a fifth, and what it makes would come to half), no step or call of a model
was running, and no container keeps half of that. Where the exception says that shapes do not fit, memory is not
blamed at all: nothing was asked for.

## Fix
Check the shape. Compute in blocks, or use a sparse or a smaller type.

## Known problems
Which of several operations of one statement made the tensor is not told.
"""

from __future__ import annotations

from math import prod

from whydied import words
from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.diagnose.memory.bounding_changes import room_bytes
from whydied.diagnose.memory.call_at_death import own_bytes, ran_out, running_call
from whydied.diagnose.memory.compiled_steps import compiled_step, without_xla
from whydied.diagnose.memory.kept_objects import kept
from whydied.diagnose.memory.large_statements.encoded_again import EncodedAgain, encoded_again
from whydied.diagnose.memory.large_statements.encoded_identifiers import EncodedIdentifiers, encoded_identifiers
from whydied.diagnose.memory.large_statements.repeated_arrays import Repeated, repeated
from whydied.diagnose.memory.large_statements.unseen_statement import Unseen, unseen
from whydied.diagnose.memory.large_statements.window_joins import WindowJoin, window_join
from whydied.diagnose.memory.last_statement import StatementGrowth, last_statement_growth
from whydied.diagnose.memory.memory_over_time import censuses, own_growth_by_line
from whydied.diagnose.memory.statement_advice import (
    JoinedRows,
    advice_for,
    joined_rows,
    padding_changes,
    whitened,
    word_changes,
)
from whydied.diagnose.memory.statement_shapes import Made, known_in, made_by, worked_on
from whydied.diagnose.memory.table_changes import smaller_dimension, table_changes
from whydied.diagnose.memory.vectorised import Vectorised, vectorised
from whydied.diagnose.rules.memory import allocation_refused, redundant_copies
from whydied.graph.op_table import element_bytes
from whydied.records import Frame
from whydied.source.arrays.array_makers import dtype_in
from whydied.source.assignments import assignment, item_targets, target
from whydied.source.calls import callee
from whydied.source.edits.edit import Change
from whydied.source.edits.memory.sparse_targets import Encoded, encoded_targets
from whydied.source.trees import names_at
from whydied.texts import graph_messages, python_output

TAKES = 0.5
OF_LIMIT = 0.25
BEGUN = 0.2
LIKE = 0.5
WHOLE = 0.75
"""A tensor of less than this part of the growth is not all that the statement made."""
"""A shape in the source is taken for the tensor's where its bytes are at least this part of the growth."""
_KINDS = ("tensor", "array", "variable", "container", "text", "object")

ROLE = "memory"
AT_ONCE = True
YIELDS_TO = ("gathered-at-once",)


def check(case: Case) -> Finding | None:
    return _refused(case) if case.uncaught is not None else _killed(case) or _joined_before(case)


def _joined_before(case: Case) -> Finding | None:
    """Windows that a statement had copied before another one ran out of memory, where the copy is most of it."""
    most = next(iter(own_growth_by_line(case)), None)
    joined = window_join(case, most.location) if most is not None and ran_out(case) else None
    if most is None or joined is None or joined.shown_bytes < TAKES * own_bytes(case):
        return None
    if most.grown_bytes < LIKE * joined.shown_bytes:
        return None
    made = made_by(case, most.location, LIKE * joined.shown_bytes)
    return Finding(
        message=f"{prefix(most.location)}this statement {joined.words}: {words.size(joined.shown_bytes)}"
        + case.limit_words,
        certainty="likely",
        location=most.location,
        culprit=Culprit(
            kind="tensor",
            name=target(case.sources, most.location),
            shape=list(made.shape) if made else None,
            dtype=made.dtype if made else None,
            bytes=joined.shown_bytes,
        ),
        evidence=[
            Evidence(
                fact=f"memory grew while running {most.location.spelled}",
                value=words.size(most.grown_bytes),
                source="LineSampled",
            )
        ],
        advice=joined.advice,
        changes=joined.changes,
    )


def _refused(case: Case) -> Finding | None:
    found = allocation_refused.check(case)
    if found is None or found.culprit is None or not found.culprit.bytes or found.location is None:
        return None
    asked, there = found.culprit.bytes, _room(case)
    running = running_call(case)
    if (there is not None and asked < OF_LIMIT * there) or (running is not None and running.trains):
        return None
    identifiers = encoded_identifiers(case, [extent or 0 for extent in found.culprit.shape or []])
    if identifiers is not None:
        return _encodes(found, found.culprit, identifiers)
    place = _defined_at(case) or found.location
    name = target(case.sources, place)
    room = f"; the limit is {words.size(there)}" if there is not None else ""
    kind = found.culprit.kind
    compiled = compiled_step(case)
    changes = _refused_changes(case, place, found.culprit, there) if compiled is None else without_xla(case, asked / 2)
    if compiled is not None:
        what = f"`{running.name}`, {compiled.words}," if running else f"what is {compiled.words}"
    else:
        form = f" of shape {found.culprit.shape} {found.culprit.dtype}" if found.culprit.shape else ""
        what = f"one {kind}{form}"
    encoded = encoded_targets(case.project, place.file, place.line) if place.file in case.project else None
    rows = f" for the one-hot rows of `{encoded.labels}`" if encoded is not None else ""
    return Finding(
        message=f"{prefix(place)}{what} needs {words.size(asked)}{' at once' if compiled else ''}{rows}{room}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind=kind, name=name, shape=found.culprit.shape, dtype=found.culprit.dtype, bytes=asked),
        evidence=found.evidence,
        advice=[_ADVICE[1], compiled.advice] if compiled else _kept_labels(encoded) or _advice(changes),
        changes=changes,
    )


def _encodes(refused: Finding, asked: Culprit, found: EncodedIdentifiers) -> Finding:
    name, many = next(iter(found.columns.items()))
    return Finding(
        message=f"{prefix(found.place)}{found.words}: {words.size(asked.bytes or 0)}",
        certainty="likely",
        location=found.place,
        culprit=Culprit(kind="column", name=name, shape=asked.shape, dtype=asked.dtype, bytes=asked.bytes),
        evidence=[
            Evidence(fact=f"different values of `{name}`", value=f"{many:,}", source="DataLooked"),
            *refused.evidence,
        ],
        advice=found.advice,
        changes=found.changes,
    )


def _refused_changes(case: Case, place: Location, asked: Culprit, room: int | None) -> list[Change]:
    """What fits in the place of a request that was refused. Where nothing tells how much there is, it is less than what
    was asked for."""
    size = asked.bytes or 0
    most = min(size, room) if room is not None else size
    shape = [extent or 0 for extent in asked.shape or []]
    made = Made(shape, asked.dtype or "", size)
    return table_changes(case, place, made, most) + smaller_dimension(case, place, shape, size, most)


def _kept_labels(encoded: Encoded | None) -> list[str]:
    if encoded is None:
        return []
    at = line_words(Frame(file=encoded.loss_file, line=encoded.loss_line, function=""))
    return [
        f"Pass the integers `{encoded.labels}` themselves to `fit`, and use `sparse_categorical_crossentropy` on {at}: "
        "it takes class numbers, so the rows are not needed."
    ]


def _has(changes: list[Change], kind: str) -> bool:
    return any(change.kind == kind for change in changes)


def _advice(changes: list[Change]) -> list[str]:
    """In general, or what the changes do."""
    told = [_DONE_BY[change.kind] for change in changes if change.kind in _DONE_BY]
    return [_ADVICE[0], *(told or _ADVICE[1:])]


def _defined_at(case: Case) -> Location | None:
    """The user's line that made the op, where a graph's error tells it: the line that ran it asked for nothing."""
    for link in case.uncaught.chain if case.uncaught else []:
        told = graph_messages.DEFINED_AT.pattern.search(link.message)
        frames = python_output.FRAME_IN_TEXT.pattern.findall(told[1]) if told else []
        mine = [frame for frame in frames if frame[0] in case.recording.sources]
        if mine:
            file, line, function = mine[-1]
            return case.locate(Frame(file=file, line=int(line), function=function, user=True))
    return None


def _room(case: Case) -> int | None:
    limit = case.recording.limit
    sample = case.last_sample
    available = sample.machine.available_bytes if sample else None
    rooms = [size for size in (limit.limit_bytes if limit else None, available) if size is not None]
    return min(rooms) if rooms else None


def _killed(case: Case) -> Finding | None:
    growth, pairs = last_statement_growth(case), vectorised(case)
    if growth is None or (running_call(case) is not None and pairs is None) or case.records.open_calls:
        return None
    missed = unseen(case, growth)
    if missed is not None and missed.place is not None:
        before = growth.from_bytes + growth.grown_bytes - missed.grown_bytes
        growth = growth._replace(place=missed.place, from_bytes=before, grown_bytes=missed.grown_bytes)
    again = repeated(case, growth.place)
    made = made_by(case, growth.place, LIKE * growth.grown_bytes) or (again.made if again else _worked_on(case, growth))
    # One that was only begun: where its size is known, it need not have been filled.
    begun = made is not None and growth.grown_bytes >= BEGUN * own_bytes(case)
    if max(growth.grown_bytes, made.size_bytes if made and begun else 0) < TAKES * own_bytes(case):
        return None
    if made is not None and _is_there(case, made) and redundant_copies.check(case) is not None:
        return None
    filled = _filled(case, growth)
    if filled is None and (growth.looped or _explained(case, growth)):
        return None
    place, made = filled or (growth.place, made)
    made = whitened(case, growth.place) or made
    joined = joined_rows(case, growth.place, growth.since_s)
    known = window_join(case, growth.place) or encoded_again(case, growth.place, made) or again
    if pairs is not None:
        return _vectorised(case, growth, pairs)
    encoded = encoded_targets(case.project, place.file, place.line) if place.file in case.project else None
    told = (
        known.advice if known else _kept_labels(encoded) or advice_for(case, place, growth.place, made, growth.since_s)
    )
    changes = [*(known.changes if known else []), *table_changes(case, place, made, room_bytes(case))]
    halved = made is not None and made.dtype == "float64" and (_has(changes, "dtype") or not told)
    size = made.size_bytes if made else growth.grown_bytes
    what = f"{_or_next(missed)}{_joins(known or joined)}{_creates(made, growth)}"
    limit = case.recording.limit
    of = f"; the limit is {words.size(limit.limit_bytes)}" if limit else ""
    return Finding(
        message=f"{prefix(place)}this statement {what}{of}",
        certainty="likely",
        location=place,
        culprit=Culprit(
            kind="tensor",
            name=target(case.sources, place),
            shape=list(made.shape) if made else None,
            dtype=made.dtype if made else None,
            bytes=size,
        ),
        evidence=[growth.evidence(), *_temporary(case, growth, made), *_operands(case, growth.place)],
        advice=[*(told or _advice(changes)), *([_narrower(growth.place)] if halved else [])],
        changes=changes + padding_changes(case, growth.place) + word_changes(case, growth.place, made),
    )


def _or_next(missed: Unseen | None) -> str:
    """Where the statement itself had made what it makes, and which of the next took the rest is not known."""
    if missed is None or missed.place is not None:
        return ""
    return f"or one after it, which let nobody look for {words.duration(missed.seconds)}, "


def _vectorised(case: Case, growth: StatementGrowth, found: Vectorised) -> Finding:
    limit = case.recording.limit
    of = f"; the limit is {words.size(limit.limit_bytes)}" if limit else ""
    return Finding(
        message=f"{prefix(growth.place)}`{callee(found.call)}` computes the gradients of all outputs at once, each "
        f"with its own copy of what the backward pass needs: more than {words.size(growth.grown_bytes)}{of}",
        certainty="likely",
        location=growth.place,
        culprit=Culprit(kind="tensor", name=target(case.sources, growth.place), bytes=growth.grown_bytes),
        evidence=[growth.evidence(), *_operands(case, growth.place)],
        advice=[found.advice],
        changes=found.changes(case),
    )


def _joins(joined: JoinedRows | WindowJoin | EncodedAgain | Repeated | None) -> str:
    return f"{joined.words}. It " if joined is not None else ""


def _creates(made: Made | None, growth: StatementGrowth) -> str:
    if made is None:
        return f"creates one large object: more than {words.size(growth.grown_bytes)}"
    what = f"one tensor or array of shape {made.shape} {made.dtype}"
    if made.size_bytes < WHOLE * growth.grown_bytes:
        return f"took {words.size(growth.grown_bytes)}; {words.size(made.size_bytes)} of it is {what}"
    return f"creates {what}: {words.size(made.size_bytes)}"


def _worked_on(case: Case, growth: StatementGrowth) -> Made | None:
    """What a library was at work on, as it is or in the type that the statement converts it to, where that is about
    what memory grew by."""
    found = worked_on(case, growth.since_s)
    if found is None:
        return None
    wanted = dtype_in(growth.place.source or "") or found.dtype
    converted = Made(found.shape, wanted, prod(found.shape) * (element_bytes(wanted) or 4))
    return next((one for one in (found, converted) if one.size_bytes >= LIKE * growth.grown_bytes), None)


def _temporary(case: Case, growth: StatementGrowth, made: Made | None) -> list[Evidence]:
    found = worked_on(case, growth.since_s)
    if found is None or (made is not None and found.shape == made.shape and found.dtype == made.dtype):
        return []
    value = f"{found.shape} {found.dtype}, {words.size(found.size_bytes)}"
    return [Evidence(fact="array that it works on meanwhile", value=value, source="CensusTaken")]


def _is_there(case: Case, made: Made) -> bool:
    """Whether something of the same form is kept already: then this may be one more of it."""
    taken = censuses(case)
    groups = taken[-1][1].groups if taken else []
    return any(group.shape == made.shape and group.dtype == made.dtype and group.holders for group in groups)


def _explained(case: Case, growth: StatementGrowth) -> bool:
    """Whether a container keeps a good part of what the statement took. What keeps less had fitted."""
    held = kept(case, _KINDS)
    return held is not None and held.bytes_at_end >= LIKE * growth.grown_bytes


def _filled(case: Case, growth: StatementGrowth) -> tuple[Location, Made] | None:
    """An array that was made empty, and got its memory only when this statement, in a loop or not, filled it."""
    for name in item_targets(case.sources, growth.place):
        place = assignment(case.sources, name)
        made = known_in(case, name) or (made_by(case, place, LIKE * growth.grown_bytes) if place else None)
        if place is not None and made is not None and made.size_bytes >= LIKE * growth.grown_bytes:
            return place, made
    return None


_NARROWER = (
    "float64 takes twice the memory of float32: convert first (`x.astype('float32') / 255`), or scale each batch "
    "in the pipeline (`keras.layers.Rescaling`)."
)
_HALF = "float64 takes twice the memory of float32 (`dtype='float32'`)."


def _narrower(place: Location) -> str:
    """Whole numbers become float64 where they are divided."""
    return _NARROWER if "/" in (place.source or "") else _HALF


_DONE_BY = {
    "blocks": "Compute it in blocks of rows: what is read of it is far smaller.",
    "memmap": "Map it from a file (`numpy.memmap`): the system keeps only a part of it in memory.",
    "size": "Use smaller dimensions, where those on this line are not meant.",
}
_ADVICE = ["Check the shape on this line.", "Compute it in blocks of rows, or use a sparse or smaller type."]


def _operands(case: Case, place: Location) -> list[Evidence]:
    names = names_at(case.sources, place)
    found = []
    taken = censuses(case)
    for group in taken[-1][1].groups if taken else []:
        for holder in group.holders:
            if holder.path in names and group.shape is not None:
                value = f"{group.shape} {group.dtype}, {words.size(group.size_bytes)}"
                found.append(Evidence(fact=f"`{holder.path}` on that line", value=value, source="CensusTaken"))
    return found[:4]
