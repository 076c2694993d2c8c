"""Edits that make a model smaller: a layer narrower, an optimizer that keeps nothing for each weight. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from whydied.source.calls import callee, passed_argument
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.runs.literal_numbers import number_at
from whydied.source.edits.runs.optimizer_edits import KERAS_OPTIMIZERS
from whydied.source.numbers import constants, evaluate
from whydied.source.text import Source
from whydied.source.trees import across, nodes_on

_WIDTHS = ("units", "output_dim", "filters", "key_dim", "depth")
_SLOTS = KERAS_OPTIMIZERS - {"SGD"}
_RATES = ("learning_rate", "lr")


def narrower_layer(source: Source, file: str, line: int, kind: str, width: int, wanted: int) -> Edit | None:
    """The width of the only layer of a kind that a statement makes, where it is written."""
    calls = [node for node in nodes_on(source, line) if isinstance(node, ast.Call) and callee(node) == kind]
    known = constants(source.tree)
    places: dict[int, ast.expr] = {}
    for call in calls:
        words = [value for word in _WIDTHS if (value := passed_argument(call, word)) is not None]
        for given in [*call.args[:2], *words]:
            place = number_at(source, given, own="units")
            if place is not None and evaluate(place, known) == width:
                places[id(place)] = place
    return over(source, file, next(iter(places.values())), str(wanted)) if len(places) == 1 else None


def without_slots(sources: Mapping[str, Source]) -> Edit | None:
    """The only optimizer of the program as SGD with the same rate; one that is given by its name as "sgd"."""
    found = []
    for file, call in across(sources, ast.Call):
        source = sources[file]
        if callee(call) in _SLOTS:
            function = written_in(source, call.func)
            rate = next((value for word in _RATES if (value := passed_argument(call, word)) is not None), None)
            rate = rate or passed_argument(call, "0")
            given = written_in(source, rate) if rate is not None else ""
            found.append(over(source, file, call, f"{function.removesuffix(callee(call))}SGD({given})"))
        elif callee(call) == "compile":
            name = passed_argument(call, "optimizer") or passed_argument(call, "0")
            if isinstance(name, ast.Constant) and str(name.value).lower() in {one.lower() for one in _SLOTS}:
                found.append(over(source, file, name, '"sgd"'))
    return found[0] if len(found) == 1 else None
