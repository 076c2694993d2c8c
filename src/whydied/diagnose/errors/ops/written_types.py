"""The line that writes the type of a value which does not fit: `tf.float32` where a value is made. Pure."""

from __future__ import annotations

import ast

from whydied.diagnose.case import line_words
from whydied.diagnose.errors.advice import Advice, Way, either, nothing, source_at
from whydied.diagnose.errors.framework_error import FrameworkError, name_of
from whydied.records import Party
from whydied.source.calls import callee
from whydied.source.edits.edit import over, written_in
from whydied.source.text import Source
from whydied.source.trees import nodes_on, scope_at, within, written

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
        node = _type_written(source, made.frame.line, party.dtype)
        if node is None:
            continue
        was = written_in(source, node)
        new = f"{was.rpartition('.')[0]}.{wanted}" if isinstance(node, ast.Attribute) else f'"{wanted}"'
        beside = _beside(error, source, made.frame.line, party.dtype, was)
        likewise = "".join(f" (and `{name}` on line {other.lineno})" for name, other in beside)
        where = f"{line_words(made.frame)}{likewise}"
        words = f"{name_of(party, 'it')} is made with `{was}` on {where}: `{new}` there makes it fit"
        edits = [over(source, made.frame.file, one, new) for one in (node, *(other for _, other in beside))]
        return either("dtype", [Way(words, edits, made.frame)])
    return nothing()


def _type_written(source: Source, line: int, dtype: str) -> ast.Attribute | ast.Constant | None:
    """The only word for a type in a statement that makes a value."""
    calls = [one for one in nodes_on(source, line) if isinstance(one, ast.Call) and callee(one) in _MAKERS]
    nodes = [
        one
        for call in calls
        for one in (*call.args, *(word.value for word in call.keywords))
        if isinstance(one, ast.Attribute | ast.Constant) and _is_type(one, dtype)
    ]
    return nodes[0] if len(nodes) == 1 else None


def _beside(
    error: FrameworkError, source: Source, line: int, dtype: str, was: str
) -> list[tuple[str, ast.Attribute | ast.Constant]]:
    """Other values that the failing statement uses and the same function makes with the same word: the next to fail."""
    failing, file = error.facts.place, source_at(error.sources, error.facts.place)
    if failing is None or file is not source:
        return []
    used = {written(one) for one in nodes_on(source, failing.line) if isinstance(one, ast.Name | ast.Attribute)}
    found = []
    for made in within(scope_at(source.tree, line)):
        if isinstance(made, ast.Assign) and made.lineno != line and written(made.targets[0]) in used:
            node = _type_written(source, made.lineno, dtype)
            if node is not None and written_in(source, node) == was:
                found.append((written(made.targets[0]), node))
    return found


def _is_type(node: ast.Attribute | ast.Constant, dtype: str) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr == dtype and isinstance(node.value, ast.Name)
    return node.value == dtype
