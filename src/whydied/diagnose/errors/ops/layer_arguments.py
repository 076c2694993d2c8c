"""An argument of a layer's call that lacks an axis: the op that refuses it stands in the layer, behind ops that added
axes of one. Pure.

The shapes that those ops took and gave were recorded. An axis is put into the argument at each place, the layer's own
ops are done again on it, and what then fits the other operand is told.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.errors.advice import Advice, Way, either
from whydied.diagnose.errors.calls.refused_values import failing_call, passed
from whydied.diagnose.errors.framework_error import Shape, layer_words, shape_words
from whydied.diagnose.errors.misfit import Misfit
from whydied.diagnose.errors.usage import call_of
from whydied.diagnose.finding import Certainty, Culprit
from whydied.records import Frame, LayerFacts, Party, ValueSource
from whydied.shapes.op_words import ELEMENTWISE
from whydied.source.edits.edit import over, written_in
from whydied.source.trees import enclosing, nodes_on, walk, written


class LayerArgument(NamedTuple):
    """The argument that one of two operands was made of, where it is given; `words` say what became of it."""

    frame: Frame
    culprit: Culprit
    words: str
    advice: Advice
    certainty: Certainty


class _Given(NamedTuple):
    file: str
    call: ast.Call
    node: ast.expr
    parameter: str


def layer_argument(case: Case, found: Misfit) -> LayerArgument | None:
    """The argument of the call of a library's layer that does not fit for want of an axis; None where no such axis
    would make it fit, or two arguments could be meant."""
    facts = found.error.facts
    if facts.op not in ELEMENTWISE or facts.layer is None:
        return None
    for own, other in ((found.second, found.first), (found.first, found.second)):
        widened = [one for one in own.sources if one.kind == "op"] if own is not None else []
        shape = widened[-1].takes if widened else None
        if own is None or other is None or other.shape is None or not shape:
            continue
        running = _running(case, shape)
        given = running or _of_mask(case, facts.layer, own)
        fits = [at for at in range(1, len(shape) + 1) if _fits(shape, at, widened, other.shape)]
        if given is None or not fits:
            continue
        text = written(given.node)
        words = (
            f"`{text}` {shape_words(shape)}, given to {layer_words(facts.layer)} as `{given.parameter}`, becomes "
            f"{shape_words(own.shape)} in it and does not fit {shape_words(other.shape)}: it lacks an axis"
        )
        # The last axis stays the last where both are possible: a mask says what may be looked at.
        kept = [at for at in fits if at < len(shape)] or fits
        function = enclosing(case.sources[given.file].tree, given.call.lineno)
        frame = Frame(file=given.file, line=given.call.lineno, function=function, user=True)
        ways = [_way(case, given, frame, shape, at) for at in kept]
        culprit = Culprit(kind="argument", name=text, shape=shape)
        return LayerArgument(frame, culprit, words, either("operand", ways), "certain" if running else "likely")
    return None


def _running(case: Case, shape: Shape) -> _Given | None:
    """The argument of that shape, of the call that was running."""
    called = call_of(case)
    call = failing_call(case, called) if called is not None else None
    if called is None or called.frame is None or call is None:
        return None
    found = {one.text: one for one in called.arguments if one.shape is not None and one.shape == shape}
    one = next(iter(found.values())) if len(found) == 1 else None
    node = passed(call, one.parameter, one.position) if one is not None else None
    return _Given(called.frame.file, call, node, one.parameter) if one is not None and node is not None else None


def _of_mask(case: Case, layer: LayerFacts, own: Party) -> _Given | None:
    """The only mask that the program gives to the layer, where its model calls it long after: the layer is known by
    the line that made it, the call by the name that it has there."""
    source = case.sources.get(layer.made.file) if layer.made is not None else None
    if source is None or layer.made is None or own.dtype != "bool":
        return None
    names = {
        written(target)
        for node in nodes_on(source, layer.made.line)
        if isinstance(node, ast.Assign)
        for target in node.targets
    }
    found = [
        _Given(layer.made.file, call, word.value, word.arg)
        for call in walk(source.tree, ast.Call)
        for word in call.keywords
        if word.arg is not None
        and "mask" in word.arg
        and (written(call.func) in names or (isinstance(call.func, ast.Call) and call.func.lineno == layer.made.line))
    ]
    return found[0] if len(found) == 1 else None


def _fits(shape: Shape, at: int, widened: list[ValueSource], other: Shape) -> bool:
    """Whether a value with one more axis fits the other, after the layer has added those that are still missing."""
    axis = _added_at(widened)
    made: Shape = [*shape[:at], 1, *shape[at:]]
    while axis is not None and len(made) < len(other) and len(made) + 1 + axis >= 0:
        place = len(made) + 1 + axis
        made = [*made[:place], 1, *made[place:]]
    return len(made) == len(other) and all(one in (1, two) for one, two in zip(made, other, strict=True))


def _added_at(widened: list[ValueSource]) -> int | None:
    """The axis at which the layer adds one, counted from the end: the same for all of its ops."""
    possible: set[int] | None = None
    for one in widened:
        takes, gives = one.takes or [], one.gives or []
        places = {
            at - len(gives) for at in range(len(gives)) if gives[at] == 1 and [*gives[:at], *gives[at + 1 :]] == takes
        }
        possible = places if possible is None else possible & places
    return max(possible) if possible else None


def _way(case: Case, given: _Given, frame: Frame, shape: Shape, at: int) -> Way:
    index = ", ".join([":"] * at + ["None"] + [":"] * (len(shape) - at))
    text = f"{written_in(case.sources[given.file], given.node)}[{index}]"
    words = f"pass `{text}`, of shape {shape_words([*shape[:at], 1, *shape[at:]])}"
    return Way(words, [over(case.sources[given.file], given.file, given.node, text)], frame)
