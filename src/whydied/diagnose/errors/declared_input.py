"""The shape that a model's Input declares, as the source writes it. Pure."""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.records import Frame, LayerFacts
from whydied.source.assignments import assigned
from whydied.source.calls import callee
from whydied.source.trees import nodes_on, scope_at

_WORDS = ("input_shape", "batch_input_shape", "shape", "batch_shape")


class Declared(NamedTuple):
    """`name` is how the Input is given the shape, `text` and `frame` are the expression of the shape and its line:
    where it is a name, those of what the name was assigned."""

    name: str
    text: str
    frame: Frame

    @property
    def is_of_array(self) -> bool:
        """Whether it is the shape of an array, and so has the number of its rows in it."""
        node = ast.parse(self.text, mode="eval").body
        return (isinstance(node, ast.Attribute) and node.attr == "shape") or (
            isinstance(node, ast.Call) and callee(node) == "shape" and len(node.args) == 1
        )


def declared(case: Case, entrance: LayerFacts) -> Declared | None:
    frame = entrance.made
    source = case.sources.get(frame.file) if frame is not None else None
    if frame is None or source is None:
        return None
    for call in [node for node in nodes_on(source, frame.line) if isinstance(node, ast.Call)]:
        given = next((word.value for word in call.keywords if word.arg in _WORDS), None)
        if given is None and callee(call) in ("Input", "InputLayer") and call.args:
            given = call.args[0]
        if given is None:
            continue
        if isinstance(given, ast.Name):
            made = [one for one in assigned(given.id, scope_at(source.tree, frame.line)) if one.line <= frame.line]
            if made:
                place = Frame(file=frame.file, line=made[-1].line, function=frame.function, user=True)
                return Declared(given.id, ast.unparse(made[-1].value), place)
        return Declared(ast.unparse(given), ast.unparse(given), frame)
    return None
