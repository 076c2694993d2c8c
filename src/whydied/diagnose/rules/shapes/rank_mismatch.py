"""A value has another number of axes than what takes it wants.

## What it detects
A layer, a model or an op that wants a number of axes (a batch of images has four, of series three) and gets another;
or a value whose axes nobody knows, because a Python function made it (`numpy_function`, `py_function`).

## Why it happens
A sample without the axis of the batch, an image without channels, a series without features, a vector in a matrix
product, an Input that was declared with the shape of a whole array.

## Evidence
The value that was passed with its words in the source, and what the layer says that it wants.

## How it is proved
Both numbers are read from the objects. Certain where the model was trained, or is given one sample of what its Input
says: then the data are wrong. Else certain where a line is known to be the wrong one, or the only change that passes is
of the line that is told; likely where a change on either side would do.

## Fix
The axis that is missing or too many, the layer that lays the values out anew, or the shape to declare: each was tried
on the layers behind and on the targets. Where two remain, each says what it would mean.

## Known problems
For an op whose rule is not known here, the number of axes that it wants is not named.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors import error_edits
from whydied.diagnose.errors.advice import Advice, Way, advised, capital, certainty_of, changes_of, nothing, source_at
from whydied.diagnose.errors.framework_error import (
    FrameworkError,
    Shape,
    axes_words,
    culprit_of,
    evidence_of,
    framework_error,
    layer_words,
    name_of,
    output_words,
    shape_words,
)
from whydied.diagnose.errors.layer_changes import layer_changes
from whydied.diagnose.errors.misfit import Misfit, is_fed, misfit
from whydied.diagnose.errors.model_ends import Declared, data_behind, declared, single_samples
from whydied.diagnose.errors.operand_changes import operand_changes
from whydied.diagnose.errors.ops.declared_rows import DeclaredRows, declared_rows
from whydied.diagnose.errors.ops.joined_inputs import joined_changes
from whydied.diagnose.errors.ops.lost_axes import lost_axes
from whydied.diagnose.errors.ops.per_axis import per_axis_words
from whydied.diagnose.errors.ops.stated_shapes import PYTHON_FUNCTIONS, stated_shapes
from whydied.diagnose.errors.quotation import quoted
from whydied.diagnose.errors.shape_advice import other_order
from whydied.diagnose.errors.trained_data import as_trained, was_trained
from whydied.diagnose.finding import Culprit, Finding
from whydied.records import Frame, InputWanted, Party, ValueSource
from whydied.shapes.shape import conforms
from whydied.source.calls import callee
from whydied.source.edits.call_edits import calls_at, set_argument
from whydied.source.edits.shapes.value_edits import use_edits
from whydied.source.trees import nodes_on
from whydied.texts import layers, shapes_and_types

ROLE = "explanation"
YIELDS_TO = ("uneven-batch", "partial-batch", "axis-mismatch", "picture-channels-differ")


_OPEN = shapes_and_types.NO_SHAPE.pattern
_OF_SHAPES = frozenset({"as_list", "__len__", "__iter__", "num_elements"})
"""What TensorFlow's shapes raise in when the number of axes is asked for and not known."""


def check(case: Case) -> Finding | None:
    found = misfit(case)
    if found is None:
        return _unknown(case)
    if found.kind != "rank" or found.first is None or quoted(case, layers.INPUTS_COUNTED.pattern) is not None:
        return None
    if single_samples(found.error) is found.first:
        return _not_batched(case, found.error, found.first)
    facts = found.error.facts
    entrance = facts.feeding if facts.feeding is not None and facts.feeding.type == "InputLayer" else None
    written = declared(case, entrance) if entrance is not None and not facts.call else None
    rows = written is not None and written.is_of_array
    party = data_behind(found.error, found.first)
    whole = declared_rows(case, found.error, party)
    if whole is not None:
        return _declared_whole(case, found.error, party, whole)
    trained = was_trained(case)
    fed = is_fed(found.error) and facts.feeding is not None
    nameless = output_words(facts) if fed else "the input"
    advice = (
        _without_rows(found, written, found.first.shape or [])
        or other_order(found, party)
        or (as_trained(case, found.error, party) if trained else nothing())
        or lost_axes(found.error, found.first.shape or [])
        or layer_changes(found.error, party, found.first.shape or [], trained)
        or joined_changes(found.error)
        or operand_changes(found.error, found.error.of_role("operand"))
    )
    frame = advice.frame or _made(found.first) or facts.place
    frame = written.frame if written is not None and rows else frame
    place = case.locate(frame) if frame else case.locate_exception([found.error.link])
    return Finding(
        message=f"{prefix(place)}{_words(found, party, name_of(party, nameless))}",
        certainty="certain" if _is_of_data(found, trained) else certainty_of(advice, place),
        location=place,
        culprit=Culprit(kind="data", name=written.name) if written is not None and rows else culprit_of(party),
        evidence=evidence_of(found.error),
        advice=advice.sentences,
        changes=advice.changes,
    )


def _declared_whole(case: Case, error: FrameworkError, party: Party, found: DeclaredRows) -> Finding:
    """An Input that declares all rows of the array that its model is given."""
    place = case.locate(found.frame)
    return Finding(
        message=(
            f"{prefix(place)}`{found.text}` {shape_words(party.shape)} is declared as the shape of one sample, and "
            f"`{party.text}` has {(party.shape or [0])[0]} samples of shape {shape_words((party.shape or [])[1:])}"
        ),
        certainty="certain",
        location=place,
        culprit=Culprit(kind="layer", name=found.entrance.name, shape=found.entrance.output_shape),
        evidence=evidence_of(error),
        advice=found.advice.sentences,
        changes=found.advice.changes,
    )


def _is_of_data(found: Misfit, trained: bool) -> bool:
    """Whether the data are wrong and not the model: it was trained, or they are one sample of what its Input says."""
    wanted, shape = found.error.facts.wanted, found.first.shape if found.first is not None else None
    if wanted is None or trained:
        return wanted is not None
    return bool(wanted.shape) and shape is not None and conforms(shape, (wanted.shape or [])[1:])


def _not_batched(case: Case, error: FrameworkError, given: Party) -> Finding:
    """A data set that gives one sample at a time."""
    frame = _made(given) or error.facts.place
    place = case.locate(frame) if frame else case.locate_exception([error.link])
    name, uneven = given.text, any(None in (party.shape or []) for party in error.of_role("element"))
    code = "padded_batch" if uneven else "batch"
    why = ", which pads the rows of a batch to one length" if uneven else ""
    return Finding(
        message=f"{prefix(place)}`{name}` is not batched: each element is one sample, x {shape_words(given.shape)} and "
        f"y a single number, but {error.facts.call} takes batches",
        certainty="certain",
        location=place,
        culprit=culprit_of(given, "data"),
        evidence=evidence_of(error),
        advice=[f"`{name}.{code}(32)` makes batches of 32 samples{why}; the data for validation need it, too."],
        changes=changes_of(
            "data", [Way(f"`{name}.{code}(32)` makes batches of 32", error_edits.batched(error, given, code))]
        ),
    )


def _unknown(case: Case) -> Finding | None:
    """What a Python function gives to a graph has no known shape, and a layer asks for its axes."""
    error = framework_error(case)
    if error is None or not (error.facts.raiser in _OF_SHAPES or _OPEN.search(error.message)):
        return None
    for party in error.facts.parties:
        made = next((one for one in party.sources if one.kind == "op" and one.frame is not None), None)
        if party.shape is not None or party.dtype is None or made is None or made.frame is None:
            continue
        place = case.locate(made.frame)
        of_data = party.role in ("element", "label")
        each = f", so the elements of {name_of(party, 'the data set')} have no known" if of_data else " and no known"
        taker = f"{error.facts.call} needs" if error.facts.call else "the next op needs"
        advice = _still(error, made.name, made.frame)
        return Finding(
            message=(
                f"{prefix(place)}what {_function(error, made)} gives has no known shape{each} number of axes, "
                f"which {taker}"
            ),
            certainty="certain",
            location=place,
            culprit=culprit_of(party),
            evidence=evidence_of(error),
            advice=advice.sentences,
            changes=advice.changes,
        )
    return None


def _function(error: FrameworkError, made: ValueSource) -> str:
    """The function that the source calls for an op of Python code, else the op by its type."""
    source = source_at(error.sources, made.frame)
    nodes = nodes_on(source, made.frame.line) if source is not None and made.frame is not None else []
    calls = [one for one in nodes if isinstance(one, ast.Call) and callee(one) in PYTHON_FUNCTIONS]
    return f"`{ast.unparse(calls[0].func)}`" if len(calls) == 1 and "PyFunc" in made.name else made.name


def _still(error: FrameworkError, op: str, made: Frame) -> Advice:
    """How the number of axes gets known: by what the op is asked for, or by what is said after it."""
    source = source_at(error.sources, made)
    calls = calls_at(source, made.line, "decode_image") if source is not None and op == "DecodeImage" else []
    if source is not None and len(calls) == 1:
        words = "`expand_animations=False` makes it give a picture of 3 axes and no animation."
        edit = set_argument(source, made.file, calls[0], "expand_animations", 4, "False")
        return advised(words, "operand", [edit] if edit is not None else None)
    ways = stated_shapes(error, source, made) if source is not None else []
    if ways:
        return Advice([f"{capital(ways[0].words)}."], changes_of("operand", ways))
    nodes = nodes_on(source, made.line) if source is not None else []
    names = [one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
    words = (
        f"State the shape of each result after it: `{names[0] if names else 'picture'}.set_shape((height, width, "
        f"channels))`, and `{names[1] if names[1:] else 'label'}.set_shape(())` for a number."
    )
    return Advice([words], [])


def _without_rows(found: Misfit, written: Declared | None, shape: Shape) -> Advice:
    """The declared shape is that of a whole array."""
    if written is None or not written.is_of_array:
        return nothing()
    words = (
        f"`{written.text}` has the number of rows in it, which an input shape must not have: `{written.text}[1:]` is "
        f"{shape_words(shape[2:])}."
    )
    source = found.error.sources.get(written.frame.file)
    edits = use_edits(source, written.frame.file, written.frame.line, written.text, "{x}[1:]") if source else None
    return advised(words, "input-shape", edits)


def _made(party: Party) -> Frame | None:
    """The line that made a data set: what it gives is changed there."""
    made = [source.frame for source in party.sources if source.kind == "variable" and source.frame is not None]
    return made[0] if party.role == "element" and made else None


def _words(found: Misfit, party: Party, name: str) -> str:
    facts = found.error.facts
    # Of an array that was passed its own shape, and not that of a batch of it.
    shape = party.shape or (found.first.shape if found.first else None) or []
    each = "each element of " if found.first is not None and found.first.role == "element" else ""
    has = f"{each}{name} {shape_words(shape)} has {axes_words(len(shape))}"
    if facts.wanted is not None and facts.layer is not None:
        return f"{has}, but {layer_words(facts.layer)} expects {_asked(facts.wanted)}"
    taker = facts.op or (layer_words(facts.layer) if facts.layer else facts.raiser)
    if found.first is not None and found.second is not None and (told := per_axis_words(found)):
        return told
    if found.second is not None:
        other = found.second.shape or []
        return f"{has}, but {name_of(found.second, 'the other')} {shape_words(other)} has {len(other)}: {taker} failed"
    return f"{has}, which {taker} does not accept"


def _asked(wanted: InputWanted) -> str:
    if wanted.shape is not None:
        return f"{len(wanted.shape)}: {shape_words(wanted.shape)}"
    if wanted.rank is not None:
        return str(wanted.rank)
    return f"at least {wanted.least_rank}" if wanted.least_rank is not None else f"at most {wanted.most_rank}"
