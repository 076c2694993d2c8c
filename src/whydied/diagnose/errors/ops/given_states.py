"""The states that a recurrent layer was given, against those that it has. Pure."""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.diagnose.errors.advice import Advice, Way, either, nothing, source_at
from whydied.diagnose.errors.framework_error import FrameworkError, Shape, layer_words, shape_words
from whydied.records import LayerFacts
from whydied.shapes.keras_layers import is_recurrent, number
from whydied.source.assignments import last_assignment
from whydied.source.edits.call_edits import keyword_values
from whydied.source.edits.edit import over, written_in
from whydied.source.trees import scope_at


class GivenStates(NamedTuple):
    layer: LayerFacts
    has: int
    wanted: Shape
    given: list[Shape]

    @property
    def words(self) -> str:
        listed = " and ".join(shape_words(shape) for shape in self.given)
        own = f"{self.has} state" if self.has == 1 else f"{self.has} states"
        return f"{layer_words(self.layer)} has {own} of the shape {shape_words(self.wanted)}, but was given {listed}"


def given_states(error: FrameworkError) -> GivenStates | None:
    """States of another number or shape than the layer's own; None where they fit or are not known."""
    layer = error.facts.layer
    shapes = [party.shape for party in error.of_role("input") if party.shape is not None]
    units = number(layer, "units") if layer is not None else None
    if layer is None or not is_recurrent(layer) or layer.wrapped is not None or units is None or len(shapes) < 2:
        return None
    wanted: Shape = [None, units]
    found = GivenStates(layer, 2 if layer.type.endswith("LSTM") else 1, wanted, shapes[1:])
    fits = len(found.given) == found.has and all(_fits(shape, wanted) for shape in found.given)
    return found if not fits and not error.facts.op else None


def states_advice(error: FrameworkError, found: GivenStates) -> Advice:
    """Only those of the states that have the right shape, where there are as many as the layer has."""
    place = error.facts.place
    source = source_at(error.sources, place)
    kept = [at for at, shape in enumerate(found.given) if _fits(shape, found.wanted)]
    passed = keyword_values(source, place.line, "initial_state") if source is not None and place is not None else []
    if len(passed) != 1 or len(kept) != found.has or source is None or place is None:
        return nothing()
    states: ast.expr | None = passed[0]
    if isinstance(states, ast.Name):
        made = last_assignment(states.id, scope_at(source.tree, place.line), place.line)
        states = made.value if isinstance(made, ast.Assign) else None
    if not isinstance(states, ast.List | ast.Tuple) or len(states.elts) != len(found.given):
        return nothing()
    text = f"[{', '.join(written_in(source, states.elts[at]) for at in kept)}]"
    return either("layer", [Way(f"`{text}` are the states that it has", [over(source, place.file, states, text)])])


def _fits(shape: Shape, wanted: Shape) -> bool:
    return len(shape) == len(wanted) and shape[-1] == wanted[-1]
