"""Edits of functions that TensorFlow keeps with all that they close over: `py_function`, `numpy_function`,
`from_generator`. Pure.

A function that closes over nothing is as small as the first one, however many are kept. So what it needs of the
function around it stands in a name of the module, of which there is one.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.source.assignments import targets
from whydied.source.calls import REGISTERING, callee, own_names
from whydied.source.edits.edit import Edit, line_after, over
from whydied.source.edits.programs.definition_edits import first_statement
from whydied.source.edits.programs.function_edits import created_outside
from whydied.source.edits.statement_edits import stands_alone
from whydied.source.text import Source
from whydied.source.trees import Function, around, function_at, nodes_on, walk, within

Given = Function | ast.Lambda


class _Captured(NamedTuple):
    """A variable that a function closes over, the function that it belongs to, and the statement that makes it; None
    for a parameter."""

    name: str
    function: Function
    maker: ast.Assign | None


_OBJECTS = frozenset({"self", "cls"})
_DATA_SETS = frozenset({"from_generator"})


def made_outside(source: Source, file: str, line: int) -> list[Edit]:
    """What the function closes over made once, above the function around it, where it depends on nothing of that."""
    edits: list[Edit] = []
    for one in _captured(source, line):
        moved = created_outside(source, file, one.maker.lineno) if one.maker is not None else []
        if not moved:
            return []
        edits += moved
    return edits


def module_names_for(source: Source, file: str, line: int) -> list[Edit]:
    """What the function closes over under names of the module that are set anew each time."""
    known = {node.id for node in walk(source.tree, ast.Name)} | {node.arg for node in walk(source.tree, ast.arg)}
    edits: list[Edit] = []
    for name, function, maker in _captured(source, line):
        new = f"_{name}"
        if new in known or (maker is not None and not stands_alone(source, maker)):
            return []
        indent = " " * (maker or function.body[0]).col_offset
        text = f"global {new}\n{indent}{new} = {name}"
        kept = (
            line_after(source, file, maker.lineno, text)
            if maker is not None
            else first_statement(source, file, function, text)
        )
        if kept is None:
            return []
        uses = [
            node
            for given in _given(source, line)
            for node in walk(given, ast.Name)
            if node.id == name and isinstance(node.ctx, ast.Load)
        ]
        edits += [kept, *(over(source, file, use, new) for use in uses)]
    return edits


def is_lazy(source: Source, line: int) -> bool:
    """Whether the function around a line gives a data set to its caller, which runs the function given later: with two
    of them both would read the newest."""
    function = function_at(source.tree, line)
    statement = [node for node in around(source.tree, line, ast.stmt) if not hasattr(node, "body")]
    if function is None or not statement:
        return False
    names = {target.id for target in targets(statement[-1]) if isinstance(target, ast.Name)}
    returned = [node.value for node in within(function) if isinstance(node, ast.Return | ast.Yield) and node.value]
    for value in returned:
        root: ast.expr = value
        while isinstance(root, ast.Call) and callee(root) not in _DATA_SETS and isinstance(root.func, ast.Attribute):
            root = root.func.value
        lazy = isinstance(root, ast.Call) and callee(root) in _DATA_SETS
        if lazy or (isinstance(root, ast.Name) and root.id in names):
            return True
    return False


def _given(source: Source, line: int) -> list[Given]:
    """The functions that the calls of a statement give to TensorFlow; one within a lambda of the statement is reached
    by that lambda."""
    calls = [node for node in nodes_on(source, line) if isinstance(node, ast.Call) and callee(node) in REGISTERING]
    around_it = [node for node in around(source.tree, line, ast.stmt) if isinstance(node, Function)]
    found: list[Given] = []
    for call in calls:
        first = next((word.value for word in call.keywords if word.arg in ("func", "generator")), None)
        given = call.args[0] if call.args else first
        if isinstance(given, ast.Lambda):
            found.append(given)
        elif isinstance(given, ast.Name):
            inner = [node for function in around_it for node in within(function) if isinstance(node, Function)]
            found += [node for node in inner if node.name == given.id]
    return found


def _captured(source: Source, line: int) -> list[_Captured]:
    """The variables that the functions given close over. Empty where one of them is made otherwise than once, by an
    assignment."""
    around_it = [node for node in reversed(around(source.tree, line, ast.stmt)) if isinstance(node, Function)]
    found: dict[str, _Captured] = {}
    for given in _given(source, line):
        local = own_names(given) | {node.id for node in walk(given, ast.Name) if isinstance(node.ctx, ast.Store)}
        for name in sorted({node.id for node in walk(given, ast.Name)} - local - _OBJECTS):
            for function in around_it:
                makers = _makers(function, name)
                is_parameter = name in own_names(function)
                if not makers and not is_parameter:
                    continue
                maker = makers[0] if makers else None
                if len(makers) + is_parameter != 1 or not isinstance(maker, ast.Assign | None):
                    return []
                found[name] = _Captured(name, function, maker)
                break
    return list(found.values())


def _makers(function: Function, name: str) -> list[ast.stmt]:
    """The statements of a function that give a variable its value."""
    statements = [node for node in within(function) if isinstance(node, ast.stmt) and not isinstance(node, Function)]
    return [node for node in statements for one in _stored(node) if one.id == name and isinstance(one.ctx, ast.Store)]


def _stored(node: ast.stmt) -> list[ast.Name]:
    """The names in a statement, of a block those of its header."""
    if not hasattr(node, "body"):
        return walk(node, ast.Name)
    target = getattr(node, "target", None)
    items = [item.optional_vars for item in getattr(node, "items", []) if item.optional_vars is not None]
    return [name for part in [target, *items] if part is not None for name in walk(part, ast.Name)]
