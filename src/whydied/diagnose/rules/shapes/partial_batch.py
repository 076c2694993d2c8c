"""The last batch is smaller than the batch size that the model, or the training step, has fixed.

## What it detects
A model whose Input has a fixed batch size (`batch_shape`, `batch_input_shape`, a stateful recurrent layer) and that is
given batches of another size. A step of the program's own that makes something as large as a whole batch, such as the
noise of a GAN, and meets the last batch. A recurrent layer whose first state is made for a constant number of rows, or
without an axis for them.

## Why it happens
The number of rows is not a multiple of the batch size, often only in the validation part; one sample is to be predicted
with a model that was trained in batches; `batch_size` of the call is another.

## Evidence
The number of rows that were passed, the batch size of the Input with its line, the size that the failing op met.

## How it is proved
The size that the op met is what is left when the rows are divided by the fixed batch size, or the `batch_size` of the
call: certain. Where the op met another size, nothing is said. Of a step: two shapes differ in their first sizes only,
the larger one is the size by which the program cuts its data, and steps before this one went well: likely.

## Fix
Cut the rows to a multiple of the batch size, with `drop_remainder=True` in a pipeline; to predict single samples,
build the model with a batch size of 1 and copy its weights. In a step, and for a first state,
take the size from the data, `tf.shape(batch)[0]`.
"""

from __future__ import annotations

import ast
import re

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors import error_edits
from whydied.diagnose.errors.advice import Advice, Way, advised, source_at
from whydied.diagnose.errors.framework_error import (
    FrameworkError,
    culprit_of,
    evidence_of,
    framework_error,
    layer_words,
    name_of,
    sizes_in,
)
from whydied.diagnose.errors.misfit import misfit
from whydied.diagnose.errors.model_ends import input_layer
from whydied.diagnose.errors.ops.fixed_states import fixed_state
from whydied.diagnose.errors.ops.last_batch import last_batch
from whydied.diagnose.finding import Culprit, Finding
from whydied.records import CallBegan, LayerFacts, Party
from whydied.source.assignments import assigned
from whydied.source.calls import callee
from whydied.source.edits.shapes.value_edits import use_edits
from whydied.source.numbers import constants, evaluate
from whydied.source.text import Source
from whydied.source.trees import scope_at, walk, written
from whydied.texts import shapes_and_types

_PART = re.compile(r"(?P<whole>[\w.]+)\[[01]\]")
_PAIR = shapes_and_types.PAIR_OF_SHAPES.pattern

ROLE = "explanation"
DEFAULT_BATCH = 32
"""What `fit`, `evaluate` and `predict` make of arrays where they are not told."""


def check(case: Case) -> Finding | None:
    error = framework_error(case)
    return _of_model(case, error) or _of_state(case, error) or _of_step(case, error)


def _of_model(case: Case, error: FrameworkError | None) -> Finding | None:
    entrance = input_layer(error) if error is not None else None
    size = (entrance.output_shape or [None])[0] if entrance is not None else None
    if error is None or entrance is None or not size or not error.facts.call:
        return None
    met = _sizes_met(error)
    for party in error.of_role("x", "y"):
        rows = (party.shape or [None])[0]
        if rows is None or (size not in met and not _keeps_state(error.facts.layer)):
            continue
        split = _of_split(case, error, entrance, party, size, met)
        if split is not None:
            return split
        given = _batch_size(case, error.facts.call)
        for batch in [given] if given else [size, DEFAULT_BATCH]:
            left = rows % batch
            if batch != size and rows >= batch and batch in met:
                told = f"come in batches of {batch}" + ("" if given else ", the default")
                told = told if rows > batch else "are one batch" if rows > 1 else "is a batch of its own"
                return _finding(case, error, entrance, party, batch, told)
            if left and left in met and left != size:
                alone = "are one batch" if rows > 1 else "is a batch of its own"
                told = f"in batches of {batch} leave {left} for the last one" if rows > left else alone
                return _finding(case, error, entrance, party, left, told)
    return None


def _of_split(
    case: Case, error: FrameworkError, entrance: LayerFacts, party: Party, size: int, met: set[int]
) -> Finding | None:
    """Rows that `validation_split` divides into two parts, neither of which need be a multiple."""
    rows = (party.shape or [0])[0] or 0
    split = _argument(case, error.facts.call, "validation_split")
    if not isinstance(split, float) or not 0 < split < 1 or _batch_size(case, error.facts.call) not in (None, size):
        return None
    first = int(rows * (1 - split))
    parts = (("training", first), ("validation", rows - first))
    which, part = next(((name, count) for name, count in parts if count % size in met - {size, 0}), ("", 0))
    if not which:
        return None
    share = _whole_split(rows, size, split)
    place = case.locate(error.facts.place) if error.facts.place else case.locate_exception([error.link])
    keeps = next((one for one in error.facts.layers if one.settings.get("stateful") == "True"), None)
    because = f", which {layer_words(keeps)} needs to keep its state" if keeps is not None else ""
    advice = advised(
        f"Pass `validation_split={share}`, which leaves multiples of {size} in both parts."
        if share
        else f"Cut {name_of(party, party.role)} into two parts that are multiples of {size}, and pass the second as "
        "`validation_data`.",
        "argument",
        Way(f"Pass `validation_split={share}`", _split_edits(error, share) if share else None),
    )
    return Finding(
        message=(
            f"{prefix(place)}`validation_split={split:g}` leaves {part:,} of the {rows:,} rows of "
            f"{name_of(party, party.role)} for {which}, which in batches of {size} leave {part % size} for the last "
            f"one, but {layer_words(entrance)} has a fixed batch size of {size}{because}"
        ),
        certainty="certain",
        location=place,
        culprit=culprit_of(party, "data"),
        evidence=evidence_of(error),
        advice=advice.sentences,
        changes=advice.changes,
    )


def _whole_split(rows: int, size: int, split: float) -> str:
    """The share nearest to the one that was given with which both parts are multiples; "" where there is none."""
    batches = rows // size
    shares = sorted(range(1, batches), key=lambda one: abs(one / batches - split)) if rows % size == 0 else []
    fits = (one for one in shares if int(rows * (1 - one / batches)) == rows - one * size)
    return next((f"{one} / {batches}" for one in fits), "")


def _split_edits(error: FrameworkError, share: str) -> error_edits.Edits:
    return error_edits.call_argument(error, "validation_split", share)


def _of_step(case: Case, error: FrameworkError | None) -> Finding | None:
    found = last_batch(case)
    if found is None:
        return None
    place = found.fixed or found.cut
    size = f"`{found.name}` ({found.size})" if found.name and found.name != str(found.size) else str(found.size)
    made = f" ({line_words(found.cut)})" if found.fixed is not None else ""
    expects = f"{size} rows are made here each time" if found.fixed is not None else f"the step expects {found.size}"
    parties = [one for one in error.of_role("operand", "target", "output") if one.shape] if error is not None else []
    return Finding(
        message=f"{prefix(place)}the last, smaller batch{made} has {found.left} rows, but {expects}",
        certainty="likely",
        location=place,
        culprit=culprit_of(parties[0]) if parties else None,
        evidence=evidence_of(error) if error is not None else [],
        advice=found.advice.sentences,
        changes=found.advice.changes,
    )


def _of_state(case: Case, error: FrameworkError | None) -> Finding | None:
    """The first state of a recurrent layer, made for a number of rows that its input does not have."""
    met = _sizes_met(error) if error is not None else set()
    ranks = error is not None and (unfit := misfit(case)) is not None and unfit.kind == "rank"
    found = fixed_state(case, error, met if len(met) > 1 else (), ranks=ranks) if error is not None else None
    if error is None or found is None:
        return None
    other = next(iter(met - {found.rows}), None)
    made = f"always has {found.rows} rows, and meets a batch of {other}" if found.rows else "has no axis for the rows"
    words = f"Make it for as many rows as `{found.inputs}` has: `{found.size}`"
    advice = advised(f"{words}.", "batch-size", Way(words, found.edits))
    return Finding(
        message=f"{prefix(found.place)}the first state `{found.maker}` {made}; expected as many rows as "
        f"`{found.inputs}` has",
        certainty="likely",
        location=found.place,
        culprit=Culprit(kind="tensor", name=found.maker),
        evidence=evidence_of(error),
        advice=advice.sentences,
        changes=advice.changes,
    )


def _keeps_state(layer: LayerFacts | None) -> bool:
    """Whether the layer at work keeps a state for each row: it takes no other number of rows than it was made for."""
    return layer is not None and layer.settings.get("stateful") == "True"


def _sizes_met(error: FrameworkError) -> set[int]:
    """The sizes of first axes that the failing op, layer or loss had in hand, or that the error tells."""
    shapes = [party.shape for party in error.of_role("operand", "input", "target", "output") if party.shape]
    told = _PAIR.search(error.message)
    shapes += [sizes_in(text) for text in told.groups()] if told is not None else []
    return {shape[0] for shape in shapes if shape and shape[0] is not None}


def _argument(case: Case, kind: str, name: str) -> object:
    calls = [one for one in (case.principal.all(CallBegan) if case.principal else []) if one.kind == kind]
    return calls[-1].arguments.get(name) if calls else None


def _batch_size(case: Case, kind: str) -> int | None:
    size = _argument(case, kind, "batch_size")
    return size if isinstance(size, int) else None


def _finding(case: Case, error: FrameworkError, entrance: LayerFacts, party: Party, met: int, told: str) -> Finding:
    size = (entrance.output_shape or [None])[0] or 0
    rows = (party.shape or [0])[0] or 0
    place = case.locate(error.facts.place) if error.facts.place else case.locate_exception([error.link])
    keeps = next((one for one in error.facts.layers if one.settings.get("stateful") == "True"), None)
    because = f", which {layer_words(keeps)} needs to keep its state" if keeps is not None else ""
    name = party.text or party.role
    made = next((one for one in party.sources if one.frame is not None), None)
    where = f" (made on {line_words(made.frame)})" if made is not None and made.frame is not None else ""
    advice = _advice(error, name, rows, size, met, where)
    return Finding(
        message=(
            f"{prefix(place)}the {rows:,} {'rows' if rows != 1 else 'row'} of {name_of(party, party.role)} {told}, but "
            f"{layer_words(entrance)} has "
            f"a fixed batch size of {size}{because}"
        ),
        certainty="certain",
        location=place,
        culprit=culprit_of(party, "data"),
        evidence=evidence_of(error),
        advice=advice.sentences,
        changes=advice.changes,
    )


def _advice(error: FrameworkError, name: str, rows: int, size: int, met: int, where: str) -> Advice:
    whole, call = rows // size * size, error.facts.call
    if met > size:
        named = _trained_with(error, size)
        words = f"Pass `batch_size={named}` to `{call}`"
        words += (
            f", and a number of rows that is a multiple of {size}." if rows % size else f", as {size} divides them."
        )
        edits = error_edits.call_argument(error, "batch_size", named) if not rows % size else None
        return advised(words, "batch-size", Way(f"Pass `batch_size={named}` to `{call}`", edits))
    if whole:
        words = (
            f"Pass a multiple of {size}: `{name}[:{whole}]`{where}, and as many targets; in a pipeline "
            f"`.batch({size}, drop_remainder=True)`."
        )
        title = f"Pass the first {whole} rows, a multiple of {size}"
        return advised(words, "data", Way(title, _cut(error, rows, whole)))
    words = (
        f"Pass a multiple of {size} rows; or build the model a second time with a batch size of {rows} and copy the "
        "weights: `set_weights(model.get_weights())`."
    )
    return Advice([words], [])


def _trained_with(error: FrameworkError, size: int) -> str:
    """The batch size as `fit` in the same file is given it, where that is a name that the failing line can see."""
    place, source = error.facts.place, source_at(error.sources, error.facts.place)
    if source is None or place is None:
        return str(size)
    known = constants(source.tree)
    given = {
        written(word.value)
        for call in walk(source.tree, ast.Call)
        for word in call.keywords
        if callee(call) == "fit"
        and word.arg == "batch_size"
        and evaluate(word.value, known) == size
        and (not isinstance(word.value, ast.Name) or _is_seen(source, place.line, call, word.value.id))
    }
    return next(iter(given)) if len(given) == 1 else str(size)


def _is_seen(source: Source, line: int, call: ast.Call, name: str) -> bool:
    """Whether a line can use a name that another call is given: it stands in the same function, or the name is of the
    module."""
    here, there = scope_at(source.tree, line), scope_at(source.tree, call.lineno)
    return here is there or there is source.tree or not assigned(name, there)


def _cut(error: FrameworkError, rows: int, whole: int) -> error_edits.Edits:
    """All that is passed with so many rows, cut to as many; what has no words of its own cannot be."""
    edits = []
    for party in error.of_role("x", "y"):
        if (party.shape or [None])[0] == rows:
            made = error_edits.passed_there(error, party, f"{{x}}[:{whole}]")
            edits.append(made or _cut_pair(error, party, whole))
    every = [each for made in edits for each in made or []]
    return list(dict.fromkeys(every)) if edits and all(edits) else None


def _cut_pair(error: FrameworkError, party: Party, whole: int) -> error_edits.Edits:
    """The tuple that a value is a part of, as it is passed: `validation` for `validation[0]`."""
    source, place = source_at(error.sources, error.facts.place), error.facts.place
    part = _PART.fullmatch(party.text)
    if source is None or place is None or part is None:
        return None
    return use_edits(source, place.file, place.line, part["whole"], f"tuple(part[:{whole}] for part in {{x}})")
