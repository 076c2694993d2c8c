"""Edits of functions that TensorFlow keeps with all that they close over: `py_function`, `numpy_function`,
`from_generator`. Pure.

A function that closes over nothing is as small as the first one, however many are kept. So what it needs of the
function around it stands in a name of the module, of which there is one.
"""

from __future__ import annotations

import ast

from whydied.source.assignments import targets
from whydied.source.calls import REGISTERING, callee, own_names
from whydied.source.edits.edit import Edit, line_after, over
from whydied.source.edits.programs.definition_edits import first_statement
from whydied.source.edits.programs.function_edits import created_outside
from whydied.source.edits.statement_edits import stands_alone
from whydied.source.text import Source
from whydied.source.trees import Function, around, function_at, nodes_on, walk, within

Given = Function | ast.Lambda
_OBJECTS = frozenset({"self", "cls"})
_DATA_SETS = frozenset({"from_generator"})


def made_outside(source: Source, file: str, line: int) -> list[Edit]:
    """What the function closes over made once, above the function around it, where it depends on nothing of that."""
    edits: list[Edit] = []
    for name, maker in _captured(source, line).items():
        moved = created_outside(source, file, maker.lineno) if maker is not None else []
        if not moved:
            return []
        edits += moved if name else []
    return edits


def module_names_for(source: Source, file: str, line: int) -> list[Edit]:
    """What the function closes over under names of the module that are set anew each time."""
    function = function_at(source.tree, line)
    captured = _captured(source, line)
    known = {node.id for node in walk(source.tree, ast.Name)} | {node.arg for node in walk(source.tree, ast.arg)}
    edits: list[Edit] = []
    for name, maker in captured.items():
        new = f"_{name}"
        if function is None or new in known or (maker is not None and not stands_alone(source, maker)):
            return []
        indent = " " * (maker.col_offset if maker is not None else function.body[0].col_offset)
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
    function = function_at(source.tree, line)
    found: list[Given] = []
    for call in calls:
        first = next((word.value for word in call.keywords if word.arg in ("func", "generator")), None)
        given = call.args[0] if call.args else first
        if isinstance(given, ast.Lambda):
            found.append(given)
        elif isinstance(given, ast.Name) and function is not None:
            found += [node for node in within(function) if isinstance(node, Function) and node.name == given.id]
    return found


def _captured(source: Source, line: int) -> dict[str, ast.Assign | None]:
    """The variables of the function around a line that the functions given close over, each with the only statement
    that makes it; None for a parameter. Empty where one of them is made otherwise."""
    function = function_at(source.tree, line)
    if function is None:
        return {}
    own = own_names(function) - _OBJECTS
    made: dict[str, list[ast.AST]] = {}
    for node in within(function):
        for one in walk(node, ast.Name) if isinstance(node, ast.stmt) and not hasattr(node, "body") else []:
            if isinstance(one.ctx, ast.Store):
                made.setdefault(one.id, []).append(node)
    found: dict[str, ast.Assign | None] = {}
    for given in _given(source, line):
        local = own_names(given) | {node.id for node in walk(given, ast.Name) if isinstance(node.ctx, ast.Store)}
        for name in {node.id for node in walk(given, ast.Name)} - local:
            makers = made.get(name, [])
            if name in own and not makers:
                found[name] = None
            elif makers and (len(makers) > 1 or not isinstance(makers[0], ast.Assign) or name in own):
                return {}
            elif makers and isinstance(makers[0], ast.Assign):
                found[name] = makers[0]
    return found
