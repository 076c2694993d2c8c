"""What `predict` gives back is larger than the memory there is.

## What it detects
A program that ran out of memory in `predict`, while the outputs of its batches took most of it.

## Why it happens
`predict` computes batch by batch and keeps every output until it ends. Then it joins them, for which all are there
twice. Pictures, feature maps and probabilities for a whole vocabulary are often far larger than what they are made of.

## Evidence
The call that was running and the rows that it got; the tensors in the last census of that call that only Keras and
TensorFlow hold: outputs of batches by their shape, or all of them joined.

## How it is proved
Certain where outputs make up at least 60 % of what the program held above its libraries, likely from 40 % on, where
they are outputs of batches (three or more), or have as many rows as the call was given. A smaller batch changes
nothing.

## Fix
Call `predict` for a part of the rows at a time, and use, reduce or write out its result before the next part.

## Known problems
Of a data set or a generator it is not known how many rows it has: then only what was there is told.
"""

from __future__ import annotations

import ast
from math import prod
from typing import Any, NamedTuple

from whydied import words
from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.diagnose.memory.bounding_changes import change_of
from whydied.diagnose.memory.call_at_death import DEFAULT_ROWS, ran_out
from whydied.diagnose.memory.endless_calls import EndlessCall, endless_call
from whydied.diagnose.memory.growth_with_events import NAMED_ROOTS
from whydied.diagnose.memory.kept_objects import of_own_bytes
from whydied.diagnose.memory.memory_over_time import baseline_bytes, censuses
from whydied.graph.op_table import element_bytes
from whydied.records import CallBegan, CensusTaken, Holder, ObjectGroup
from whydied.source.assignments import target
from whydied.source.calls import argument
from whydied.source.edits.edit import Change, Edit
from whydied.source.edits.memory.mapped_arrays import mapped_batches, mapped_prediction
from whydied.source.text import Source
from whydied.source.trees import across, located, walk

SHARE = 0.4
CERTAIN_SHARE = 0.6
FEWEST = 3
_KINDS = ("tensor", "array")


class Outputs(NamedTuple):
    """What a call had computed when it was counted. `tails` are the shapes of one row with their types."""

    census: CensusTaken
    held_bytes: int
    share: float
    tails: list[tuple[tuple[int, ...], str]]

    @property
    def row_bytes(self) -> int:
        return sum(prod(tail) * element_bytes(dtype) for tail, dtype in self.tails)


ROLE = "memory"
AT_ONCE = True
YIELDS_TO = ("batch-too-large",)


def check(case: Case) -> Finding | None:
    calls = [call for call in case.records.open_calls if call.kind == "predict"]
    if not calls or not calls[-1].frames or not ran_out(case):
        return None
    call = calls[-1]
    rows = _rows(call)
    found = _outputs(case, call, rows)
    if found is None:
        return None
    place = case.locate(call.frames[-1])
    name = target(case.sources, place)
    before = _result_before(found.census, name)
    limit, endless = case.recording.limit, endless_call(case)
    return Finding(
        message=f"{prefix(place)}`predict` keeps the outputs of all batches until it returns"
        + (f", and `{endless.data.data}` never ends, because {endless.data.what}" if endless else "")
        + f": {_amount(found, rows)}"
        + (f", and `{name}` still holds the result of an earlier call, {words.size(before)}" if before else "")
        + (f"; the limit is {words.size(limit.limit_bytes)}" if limit else ""),
        certainty="certain" if found.share >= CERTAIN_SHARE else "likely",
        location=place,
        culprit=Culprit(
            kind="array",
            name=name,
            shape=[rows, *found.tails[0][0]] if rows else None,
            dtype=found.tails[0][1],
            bytes=rows * found.row_bytes if rows else found.held_bytes,
            value=f"{rows} rows" if rows else None,
        ),
        evidence=[
            Evidence(
                fact=f"outputs in the census at {found.census.trigger}",
                value=of_own_bytes(case, found.census, found.held_bytes),
                source="CensusTaken",
            ),
            *([Evidence(fact="rows of this call", value=rows, source="CallBegan")] if rows else []),
        ],
        advice=_ending(case, endless) if endless else _advice(case, place, name if before else None),
        changes=_changes(case, place, found, call, rows) if not endless else [],
    )


def _changes(case: Case, place: Location, found: Outputs, call: CallBegan, rows: int | None) -> list[Change]:
    """The outputs, written to a mapped file batch by batch."""
    source = case.sources.get(place.file)
    if source is None or len(found.tails) != 1:
        return []
    tail, dtype = found.tails[0]
    batch = int(call.arguments.get("batch_size") or DEFAULT_ROWS)
    if rows:
        edits = mapped_prediction(source, place.file, place.line, dtype, tail, batch)
    else:
        edits = _batches(case, source, place, (dtype, tail), call.arguments.get("x"))
    title = "Write the outputs batch by batch to a file that is mapped into memory (numpy.memmap)"
    return change_of(title, "memmap", edits, value=batch if rows else None, harm="exact")


def _batches(case: Case, source: Source, place: Location, form: tuple[str, tuple[int, ...]], data: Any) -> list[Edit]:
    """Of a `tf.data` pipeline, whose elements say what they are, and of a PyDataset, whose class does."""
    told = data if isinstance(data, dict) else {}
    spec = told.get("element_spec")
    if not spec and "workers" not in told:
        return []
    dtype, tail = form
    in_tuple = str(spec).startswith("(") if spec else _gives_tuples(case, str(told.get("type", "")))
    indexed = not spec
    return mapped_batches(source, place.file, place.line, dtype, tail, indexed=indexed, in_tuple=in_tuple)


def _gives_tuples(case: Case, name: str) -> bool:
    """Whether the batches of a class of the program's own are tuples, by what its `__getitem__` returns."""
    for _, node in across(case.project, ast.ClassDef):
        if node.name == name.rpartition(".")[2]:
            methods = [one for one in walk(node, ast.FunctionDef) if one.name == "__getitem__"]
            returned = [one.value for method in methods for one in walk(method, ast.Return)]
            return any(isinstance(one, ast.Tuple) for one in returned)
    return False


def _amount(found: Outputs, rows: int | None) -> str:
    forms = " and ".join(f"{[rows or 'rows', *tail]} {dtype}".replace("'", "") for tail, dtype in found.tails[:2])
    if not rows:
        return f"{forms}, {words.size(found.held_bytes)} so far"
    whole = rows * found.row_bytes
    return f"{forms} takes {words.size(whole)}, and {words.size(2 * whole)} while they are concatenated"


def _outputs(case: Case, call: CallBegan, rows: int | None) -> Outputs | None:
    began_s = next(at for at, one in case.records.timed(CallBegan) if one.call == call.call)
    taken = [census for at, census in censuses(case) if at >= began_s]
    if not taken:
        return None
    batch = call.arguments.get("batch_size") or DEFAULT_ROWS
    held = [
        (group, group.size_bytes * share)
        for group in taken[-1].groups
        if (share := _library_share(group)) and _is_output(group, batch, rows)
    ]
    size = round(sum(part for _, part in held))
    share = size / max(1, taken[-1].rss_bytes - baseline_bytes(case))
    if share < SHARE:
        return None
    held.sort(key=lambda pair: -pair[1])
    tails = [(_tail(group), group.dtype or "") for group, part in held if part > size / 10]
    return Outputs(taken[-1], size, share, list(dict.fromkeys(tails)))


def _is_output(group: ObjectGroup, batch: int, rows: int | None) -> bool:
    """Whether a group can be outputs: of batches, or of all rows together."""
    if group.kind not in _KINDS or not group.shape or None in group.shape:
        return False
    # A data set has batches of its own size: there only the function of Keras tells that gathers or joins them.
    told = rows is None and any(_gathers(holder) for holder in group.holders)
    return ((group.shape[0] == batch or told) and group.count >= FEWEST) or group.shape[0] == rows


def _gathers(holder: Holder) -> bool:
    is_keras = "/keras/" in holder.file or "/tf_keras/" in holder.file
    return holder.function == "predict" or (holder.container == "list" and is_keras)


def _tail(group: ObjectGroup) -> tuple[int, ...]:
    return tuple(extent for extent in (group.shape or [])[1:] if extent is not None)


def _library_share(group: ObjectGroup) -> float:
    """The part of a group that no name of the program's own leads to."""
    return sum(holder.share for holder in group.holders if holder.root not in NAMED_ROOTS)


def _rows(call: CallBegan) -> int | None:
    data = call.arguments.get("x")
    shape = data.get("shape") if isinstance(data, dict) else None
    return shape[0] if shape else None


def _result_before(census: CensusTaken, name: str | None) -> int:
    """What the variable that gets the result holds already."""
    return round(
        sum(
            group.size_bytes * holder.share
            for group in census.groups
            for holder in group.holders
            if holder.path == name and holder.root in NAMED_ROOTS
        )
    )


def _ending(case: Case, endless: EndlessCall) -> list[str]:
    where = line_words(located(case.sources, endless.data.file, endless.data.line))
    return [
        f"Let `{endless.data.data}` end after one pass ({where}), or pass `{endless.word}=…`, the rows of one pass "
        "divided by the batch size."
    ]


def _advice(case: Case, place: Location, kept: str | None) -> list[str]:
    data = argument(case.sources, place, "predict", "x") or argument(case.sources, place, "predict", "0") or "x"
    named = data if data.isidentifier() else "x"
    return [
        *([f"Free `{kept}` before the call (`del {kept}`)."] if kept else []),
        f"Predict one part at a time, `model.predict_on_batch({named}[i:i + n])`, and process each result or write it "
        "out (`numpy.memmap`) before the next.",
        "Let the model return less: the class (`argmax`) instead of all probabilities, a smaller image, float16.",
    ]
