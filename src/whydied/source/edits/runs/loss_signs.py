"""The edit that takes a minus sign off a loss which then has a lower bound. Pure.

A minus in front of a logarithm, as in a cross entropy, belongs there and is left alone.
"""

from __future__ import annotations

import ast

from whydied.source.calls import callee
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.text import Source
from whydied.source.trees import nodes_on, walk

_LOGARITHMS = ("log", "log1p", "log_softmax", "log_sigmoid", "log_prob")


def without_minus(source: Source, file: str, line: int) -> Edit | None:
    """The only minus of the statement at a line that stands in front of something computed."""
    found = [
        node
        for node in nodes_on(source, line)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
        if any(callee(call) for call in walk(node.operand, ast.Call))
        if not any(callee(call) in _LOGARITHMS for call in walk(node.operand, ast.Call))
    ]
    return over(source, file, found[0], written_in(source, found[0].operand)) if len(found) == 1 else None
