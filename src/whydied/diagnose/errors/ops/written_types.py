"""The line that writes the type of a value which does not fit: `tf.float32` where a value is made. Pure."""

from __future__ import annotations

import ast

from whydied.diagnose.case import line_words
from whydied.diagnose.errors.advice import Advice, Way, either, nothing, source_at
from whydied.diagnose.errors.framework_error import FrameworkError, name_of
from whydied.records import Party
from whydied.source.calls import callee
from whydied.source.edits.edit import over, written_in
from whydied.source.trees import nodes_on

_MAKERS = frozenset(
    [
        *("constant", "placeholder", "Variable", "get_variable", "add_weight", "convert_to_tensor", "cast", "fill"),
        *("zeros", "ones", "zeros_like", "ones_like", "array", "asarray", "astype", "Input"),
    ]
)
"""Calls that make a value of any type that they are asked for."""


def written_type(error: FrameworkError, party: Party, wanted: str) -> Advice:
    """Another type where the program makes a value with a type that it writes out, just once in the statement."""
    for made in party.sources:
        source = source_at(error.sources, made.frame)
        if source is None or made.frame is None or not party.dtype:
            continue
        calls = [
            one for one in nodes_on(source, made.frame.line) if isinstance(one, ast.Call) and callee(one) in _MAKERS
        ]
        nodes = [
            one
            for call in calls
            for one in (*call.args, *(word.value for word in call.keywords))
            if isinstance(one, ast.Attribute | ast.Constant) and _is_type(one, party.dtype)
        ]
        if len(nodes) != 1:
            continue
        node = nodes[0]
        was = written_in(source, node)
        new = f"{was.rpartition('.')[0]}.{wanted}" if isinstance(node, ast.Attribute) else f'"{wanted}"'
        words = f"{name_of(party, 'it')} is made with `{was}` on {line_words(made.frame)}: `{new}` there makes it fit"
        return either("dtype", [Way(words, [over(source, made.frame.file, node, new)], made.frame)])
    return nothing()


def _is_type(node: ast.Attribute | ast.Constant, dtype: str) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr == dtype and isinstance(node.value, ast.Name)
    return node.value == dtype
