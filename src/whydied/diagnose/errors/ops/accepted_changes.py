"""Advice from what TensorFlow's own rule of an op accepts: it was asked in the program, after the op refused. Pure.

Of the accepted changes the cheapest are offered, and only those of a value that the source names. A change that moves
the axis of the batch is dropped where another one keeps it. An axis of size 1 that one side has too many goes before
the other side gets one more, and of two sides the labels are changed.
"""

from __future__ import annotations

import ast
from typing import Protocol, TypeVar

from whydied.diagnose.errors import error_edits
from whydied.diagnose.errors.advice import Advice, Way, either, nothing, source_at
from whydied.diagnose.errors.framework_error import FrameworkError, axes_words, name_of, shape_words
from whydied.diagnose.errors.ops.other_axis import axis_edits
from whydied.records import OperandTrial, Party
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.trees import nodes_on

MOST_OFFERED = 2
_SHAPES = ("expand", "squeeze", "transpose", "flatten", "reshape")
_LABELS_AT = {"SoftmaxCrossEntropyWithLogits": 1, "SparseSoftmaxCrossEntropyWithLogits": 1}
"""Ops take the labels after the predictions; TensorFlow's functions, which refuse by themselves, before them."""


def accepted_shapes(error: FrameworkError) -> Advice:
    """Another shape of one operand, another axis, or as many entries as there are axes; empty where the op's rule
    accepts none of them or was not asked."""
    entries = next((one for one in error.facts.trials if one.kind == "entries"), None)
    if entries is not None and (way := _of_entries(error, entries)) is not None:
        return either("operand", [way])
    found = [one for one in error.facts.trials if one.kind in (*_SHAPES, "axis") and _is_written(error, one)]
    found = odd_axes(found, _LABELS_AT.get(error.facts.op, 0))
    cheapest = sorted(found, key=lambda one: one.cost)
    cheapest = [one for one in cheapest if one.cost == cheapest[0].cost]
    kept = [one for one in cheapest if _keeps_rows(error, one)]
    return either("operand", [_way(error, one) for one in (kept or cheapest)[:MOST_OFFERED]])


class Reshaping(Protocol):
    """A change of the shape of one operand."""

    @property
    def kind(self) -> str: ...

    @property
    def at(self) -> int: ...


AReshaping = TypeVar("AReshaping", bound=Reshaping)


def odd_axes(found: list[AReshaping], labels: int = -1) -> list[AReshaping]:
    """Of one side the axis of size 1 that it has too many, where otherwise the other side would get one: people write
    the former. Of two such sides that of the labels. All that was found where there is no such side."""
    expanded = {one.at for one in found if one.kind == "expand"}
    squeezed = [one for one in found if one.kind == "squeeze" and expanded - {one.at}]
    return [one for one in squeezed if one.at == labels] or squeezed or found


def accepted_type(error: FrameworkError, party: Party) -> str:
    """The first type of a value that the op's rule accepts; empty where it accepts none or was not asked."""
    trial = _cast_of(error, party)
    return trial.code.rpartition("tf.")[2].rstrip(")") if trial is not None else ""


def accepted_cast(error: FrameworkError, party: Party) -> Advice:
    """A value cast to that type where the op is given it."""
    trial = _cast_of(error, party)
    if trial is None or not party.text:
        return nothing()
    texts = [one.text for one in error.of_role("operand")]
    edits = error_edits.operand(error, texts[: trial.at + 1], trial.at, trial.code)
    return either("dtype", [Way(f"`{trial.code.format(x=party.text)}` makes it a type that is accepted", edits)])


def _cast_of(error: FrameworkError, party: Party) -> OperandTrial | None:
    operands = error.of_role("operand")
    at = operands.index(party) if party in operands else None
    return next((one for one in error.facts.trials if one.kind == "cast" and one.at == at), None)


def _is_written(error: FrameworkError, trial: OperandTrial) -> bool:
    party = _party(error, trial)
    return trial.kind == "axis" or (party is not None and bool(party.text))


def _party(error: FrameworkError, trial: OperandTrial) -> Party | None:
    operands = error.of_role("operand")
    return operands[trial.at] if 0 <= trial.at < len(operands) else None


def _keeps_rows(error: FrameworkError, trial: OperandTrial) -> bool:
    party = _party(error, trial)
    return trial.kind != "transpose" or party is None or (party.shape or [])[:1] == (trial.shape or [])[:1]


def _way(error: FrameworkError, trial: OperandTrial) -> Way:
    party = _party(error, trial)
    gives = f", and the result is {shape_words(trial.gives)}" if trial.gives is not None else ""
    if party is None:
        return Way(f"`axis={trial.code}` fits{gives}", axis_edits(error, int(trial.code)))
    texts = [one.text for one in error.of_role("operand")]
    meaning = f", {trial.meaning}" if trial.meaning else ""
    made = f"`{trial.code.format(x=party.text)}` makes it {shape_words(trial.shape)}{meaning}{gives}"
    return Way(made, error_edits.operand(error, texts[: trial.at + 1], trial.at, trial.code))


def _of_entries(error: FrameworkError, trial: OperandTrial) -> Way | None:
    """A list written out in the failing call with an entry for each axis, and too many of them."""
    rank, place = int(trial.code), error.facts.place
    source = source_at(error.sources, place)
    operands = error.of_role("operand")
    if source is None or place is None or not operands:
        return None
    calls = [node for node in nodes_on(source, place.line) if isinstance(node, ast.Call)]
    lists = [
        one
        for call in calls
        for one in (*call.args, *(word.value for word in call.keywords))
        if isinstance(one, ast.List | ast.Tuple) and len(one.elts) > rank
    ]
    if len(lists) != 1:
        return None
    kept = ", ".join(written_in(source, one) for one in lists[0].elts[:rank])
    text = f"[{kept}]" if isinstance(lists[0], ast.List) else f"({kept},)"
    edits: list[Edit] = [over(source, place.file, lists[0], text)]
    name = name_of(operands[0], "the tensor")
    return Way(f"`{text}` has an entry for each axis of {name}, which has {axes_words(rank)}", edits)
