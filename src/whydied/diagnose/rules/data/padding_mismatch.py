"""The shapes to pad to are not like the elements of the data set.

## What it detects
`Dataset.padded_batch` with `padded_shapes` that has another structure than the elements (one shape for elements of
several parts), or a shape with another number of axes than its part.

## Why it happens
An element has several parts, such as a series and its label, and each needs a shape of its own: `[]` for a single
number, `[None]` for a series of any length.

## Evidence
What the data set says of the parts of its elements, and the argument as the source writes it.

## How it is proved
Both are read from the objects and the source: certain.

## Fix
A shape for each part, in the order of the parts, with `None` where the sizes vary; or no `padded_shapes` at all, which
pads every part to the largest of the batch.

## Known problems
Elements that are dictionaries, and shapes that are made elsewhere, are told without the parts that are wrong.

## References
TensorFlow documentation: tf.data.Dataset.padded_batch; tensorflow/tensorflow issue 18301.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors.advice import Way, changes_of, source_at
from whydied.diagnose.errors.framework_error import FrameworkError, Shape, evidence_of, framework_error, shape_words
from whydied.diagnose.finding import Culprit, Finding
from whydied.source.edits.call_edits import calls_at, set_argument
from whydied.source.trees import written

ROLE = "explanation"


def check(case: Case) -> Finding | None:
    error = framework_error(case)
    parts = error.of_role("component") if error is not None else []
    shapes = [party.shape for party in parts if party.shape is not None]
    call = _call(error) if error is not None else None
    given = _given(call) if call is not None else None
    if error is None or call is None or given is None or not shapes or len(shapes) != len(parts):
        return None
    wrong = _wrong(given, shapes)
    if not wrong:
        return None
    place = case.locate(error.facts.place) if error.facts.place else case.locate_exception([error.link])
    wanted = _written(shapes)
    listed = ", ".join(shape_words(shape) for shape in shapes)
    source, frame = source_at(error.sources, error.facts.place), error.facts.place
    edit = set_argument(source, frame.file, call, "padded_shapes", 1, wanted) if source is not None and frame else None
    words = f"`padded_shapes={wanted}` has a shape for each part of an element"
    return Finding(
        message=f"{prefix(place)}`padded_shapes` is `{written(given)}`: {wrong}; the elements have {len(shapes)} "
        f"part{'s' if len(shapes) > 1 else ''} of the shapes {listed}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="argument", name=written(given)),
        evidence=evidence_of(error),
        advice=[f"{words}; without `padded_shapes` each part is padded to the largest of the batch."],
        changes=changes_of("argument", [Way(words, [edit] if edit is not None else None)]),
    )


def _call(error: FrameworkError) -> ast.Call | None:
    source, frame = source_at(error.sources, error.facts.place), error.facts.place
    calls = calls_at(source, frame.line, "padded_batch") if source is not None and frame is not None else []
    return calls[0] if len(calls) == 1 else None


def _given(call: ast.Call) -> ast.expr | None:
    named = next((word.value for word in call.keywords if word.arg == "padded_shapes"), None)
    return named or (call.args[1] if len(call.args) > 1 else None)


def _wrong(given: ast.expr, shapes: list[Shape]) -> str:
    """What is wrong with shapes that are written out; empty where nothing is, or it cannot be told."""
    if isinstance(given, ast.List) and len(shapes) > 1 and not any(_axes(one) is not None for one in given.elts):
        return "one shape for all parts"
    if not isinstance(given, ast.Tuple):
        return ""
    ranks = [_axes(one) for one in given.elts]
    if len(shapes) > 1 and all(rank is not None for rank in ranks) and len(ranks) != len(shapes):
        return f"{len(ranks)} shapes"
    if len(shapes) == len(ranks) and len(shapes) > 1:
        unlike = [
            n for n, (rank, shape) in enumerate(zip(ranks, shapes, strict=True)) if rank not in (None, len(shape))
        ]
        told = [f"part {n} has {len(shapes[n])} axes and its shape {ranks[n]}" for n in unlike]
        return ", ".join(told).replace(" 1 axes", " 1 axis")
    return ""


def _axes(node: ast.expr) -> int | None:
    """The number of axes of a shape that is written out."""
    return len(node.elts) if isinstance(node, ast.List | ast.Tuple) else None


def _written(shapes: list[Shape]) -> str:
    """The structure with every size that is not fixed left open."""
    parts = [f"[{', '.join(str(size) for size in shape)}]" for shape in shapes]
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"
