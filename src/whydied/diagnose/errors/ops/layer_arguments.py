"""An argument of a layer's call that lacks an axis: the op that refuses it stands in the layer, behind ops that added
axes of one. Pure.

The shapes that those ops took and gave were recorded. An axis is put into the argument at each place, the layer's own
ops are done again on it, and what then fits the other operand is told.
"""

from __future__ import annotations

from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.errors.advice import Advice, Way, either
from whydied.diagnose.errors.calls.refused_values import failing_call, passed
from whydied.diagnose.errors.framework_error import Shape, layer_words, shape_words
from whydied.diagnose.errors.misfit import Misfit
from whydied.diagnose.errors.usage import call_of
from whydied.records import ApiCalled, Argument, ValueSource
from whydied.shapes.op_words import ELEMENTWISE
from whydied.source.edits.edit import over, written_in


class LayerArgument(NamedTuple):
    """The argument that one of two operands was made of; `words` say what became of it."""

    argument: Argument
    words: str
    advice: Advice


def layer_argument(case: Case, found: Misfit) -> LayerArgument | None:
    """The argument of the failing call of a library's layer that does not fit for want of an axis; None where no such
    axis would make it fit, or two arguments could be meant."""
    facts, called = found.error.facts, call_of(case)
    if facts.op not in ELEMENTWISE or facts.layer is None or called is None or called.frame is None:
        return None
    for own, other in ((found.second, found.first), (found.first, found.second)):
        widened = [one for one in own.sources if one.kind == "op"] if own is not None else []
        given = _given(called, widened[-1].takes) if widened else None
        if own is None or other is None or other.shape is None or given is None or given.shape is None:
            continue
        fits = [at for at in range(1, len(given.shape) + 1) if _fits(given.shape, at, widened, other.shape)]
        if not fits:
            return None
        words = (
            f"`{given.text}` {shape_words(given.shape)}, given to {layer_words(facts.layer)} as `{given.parameter}`, "
            f"becomes {shape_words(own.shape)} in it and does not fit {shape_words(other.shape)}: it lacks an axis"
        )
        # The last axis stays the last where both are possible: a mask says what may be looked at.
        kept = [at for at in fits if at < len(given.shape)] or fits
        ways = [_way(case, called, given, at) for at in kept]
        return LayerArgument(given, words, either("operand", ways))
    return None


def _given(called: ApiCalled, shape: Shape | None) -> Argument | None:
    found = {one.text: one for one in called.arguments if one.shape is not None and one.shape == shape}
    return next(iter(found.values())) if len(found) == 1 else None


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


def _way(case: Case, called: ApiCalled, given: Argument, at: int) -> Way:
    rank = len(given.shape or [])
    index = ", ".join([":"] * at + ["None"] + [":"] * (rank - at))
    call, frame = failing_call(case, called), called.frame
    node = passed(call, given.parameter, given.position) if call is not None else None
    shape: Shape = [*(given.shape or [])[:at], 1, *(given.shape or [])[at:]]
    words = f"pass `{given.text}[{index}]`, of shape {shape_words(shape)}"
    if frame is None or node is None:
        return Way(words, None, frame)
    source = case.sources[frame.file]
    return Way(words, [over(source, frame.file, node, f"{written_in(source, node)}[{index}]")], frame)
