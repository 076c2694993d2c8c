"""Ids that are numbered anew from 0, where the program makes them or passes them to a model. Pure.

Only for what can be followed in the same function: the argument itself, a list or a dictionary that is assigned once,
a column that one statement fills. What was split before is left: its parts would be numbered differently.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.source.calls import callee, passed_argument
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.import_edits import name_of
from whydied.source.text import Source
from whydied.source.trees import nodes_on, scope_at, walk, within, written

_PARTS = frozenset({"sample", "head", "tail", "drop", "query", "isin", "filter"})
_ARRAYS = frozenset({"to_numpy", "array", "asarray", "to_list", "tolist"})


class Renumbered(NamedTuple):
    """The edit, and the line it is on."""

    edit: Edit
    line: int


def renumbered(source: Source, file: str, line: int, method: str, part: int | str | None) -> Renumbered | None:
    """Of the input that the only call of a method on a line is given, a part by its position or its name."""
    calls = [node for node in nodes_on(source, line) if isinstance(node, ast.Call) and callee(node) == method]
    if len(calls) != 1:
        return None
    given = passed_argument(calls[0], "x") or (calls[0].args[0] if calls[0].args else None)
    scope = scope_at(source.tree, line)
    found = _part(scope, given, part, line) if given is not None else None
    if found is None:
        return None
    inner = _as_table(found)
    filled = _filled(scope, inner, line)
    if filled is not None:
        found = inner = filled
    elif _is_part(scope, inner, line):
        return None
    pandas, numpy = name_of(source, "pandas"), name_of(source, "numpy")
    if pandas is not None:
        return Renumbered(
            over(source, file, found, f"{pandas}.factorize({written_in(source, inner)})[0]"), found.lineno
        )
    if numpy is None:
        return None
    text = f"{numpy}.unique({written_in(source, found)}, return_inverse=True)[1]"
    return Renumbered(over(source, file, found, text), found.lineno)


def _part(scope: ast.AST, given: ast.expr, part: int | str | None, line: int) -> ast.expr | None:
    if isinstance(given, ast.Name):
        values = _assigned(scope, given.id, line)
        if len(values) != 1:
            return None
        given = values[0]
    if part is None:
        return given if not isinstance(given, ast.List | ast.Tuple | ast.Dict) else None
    if isinstance(given, ast.List | ast.Tuple) and isinstance(part, int) and part < len(given.elts):
        chosen = given.elts[part]
    elif isinstance(given, ast.Dict):
        named = [value for key, value in zip(given.keys, given.values, strict=True) if _is_key(key, part)]
        if len(named) != 1:
            return None
        chosen = named[0]
    else:
        return None
    values = _assigned(scope, chosen.id, line) if isinstance(chosen, ast.Name) else [chosen]
    return values[0] if len(values) == 1 else None


def _is_key(node: ast.expr | None, key: int | str) -> bool:
    return isinstance(node, ast.Constant) and node.value == key


def _assigned(scope: ast.AST, name: str, line: int) -> list[ast.expr]:
    """What a name gets before a line; what is unpacked into several names cannot be followed."""
    return [
        one.value
        for one in within(scope)
        if isinstance(one, ast.Assign) and one.lineno < line and name in map(written, one.targets)
    ]


def _as_table(node: ast.expr) -> ast.expr:
    """`df["user"]` of `df["user"].to_numpy()`, `df["user"].values` and `np.array(df["user"])`."""
    if isinstance(node, ast.Attribute) and node.attr == "values":
        return _as_table(node.value)
    if isinstance(node, ast.Call) and callee(node) in _ARRAYS and isinstance(node.func, ast.Attribute):
        return _as_table(node.args[0]) if len(node.args) == 1 else _as_table(node.func.value) if not node.args else node
    return node


def _filled(scope: ast.AST, column: ast.expr, line: int) -> ast.expr | None:
    """What the only statement that fills a column of a table puts there."""
    if not isinstance(column, ast.Subscript | ast.Attribute):
        return None
    values = _assigned(scope, written(column), line)
    return values[0] if len(values) == 1 else None


def _is_part(scope: ast.AST, column: ast.expr, line: int) -> bool:
    """Whether a column is one of some rows of a table: the other rows would be numbered differently."""
    table = column.value if isinstance(column, ast.Subscript | ast.Attribute) else column
    if not isinstance(table, ast.Name):
        return not isinstance(column, ast.Call)
    unpacked = [
        one
        for one in within(scope)
        if isinstance(one, ast.Assign) and any(isinstance(target, ast.Tuple | ast.List) for target in one.targets)
        if any(name.id == table.id for target in one.targets for name in walk(target, ast.Name))
    ]
    values = _assigned(scope, table.id, line)
    return bool(unpacked) or any(
        isinstance(value, ast.Subscript) or (isinstance(value, ast.Call) and callee(value) in _PARTS)
        for value in values
    )
