"""Statements that bound a value and throw it away: `tf.clip_by_value(x, 1e-7, 1.0)` on a line of its own. Pure.

Functions of TensorFlow and NumPy and methods of arrays and tables give back something new and leave their argument as
it is. Who writes one as a statement meant to change the argument.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from whydied.source.calls import passed_argument
from whydied.source.text import Source
from whydied.source.trees import dotted_name, scope_at, within, written

FUNCTIONS = frozenset(
    {
        *("clip_by_value", "clip_by_norm", "clip_by_global_norm", "clip", "maximum", "minimum", "where", "nan_to_num"),
        *("abs", "divide_no_nan", "l2_normalize", "normalize"),
    }
)
METHODS = frozenset({"fillna", "dropna", "replace", "interpolate", "ffill", "bfill", "clip", "abs"})
"""What keeps values within bounds. A discarded reshape or cast does not cause a NaN."""
_MODULES = ("tf", "tensorflow", "np", "numpy", "K", "ops", "keras", "jnp")
_IN_PLACE = ("inplace", "out")
_FIRST_OF_TWO = frozenset({"clip_by_global_norm"})


class Discarded(NamedTuple):
    """`argument` is what stays as it is, as written; `target` what the result would have to be assigned to."""

    statement: ast.Expr
    call: ast.Call
    argument: str
    target: str


def discarded_in(source: Source, line: int) -> Iterator[Discarded]:
    """Such statements of the function that a line lies in, and of the module, above the line."""
    scopes = {id(one): one for one in (scope_at(source.tree, line), source.tree)}
    for scope in scopes.values():
        for node in within(scope):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and node.lineno < line:
                found = _discarded(node, node.value)
                if found is not None:
                    yield found


def _discarded(statement: ast.Expr, call: ast.Call) -> Discarded | None:
    if not isinstance(call.func, ast.Attribute) or any(passed_argument(call, word) for word in _IN_PLACE):
        return None
    name, owner = call.func.attr, dotted_name(call.func.value)
    if owner is not None and owner.partition(".")[0] in _MODULES:
        first = call.args[0] if call.args else None
        if name not in FUNCTIONS or not isinstance(first, ast.Name | ast.Attribute | ast.Subscript):
            return None
        text = written(first)
        return Discarded(statement, call, text, f"{text}, _" if name in _FIRST_OF_TWO else text)
    if name in METHODS and isinstance(call.func.value, ast.Name | ast.Attribute | ast.Subscript):
        text = written(call.func.value)
        return Discarded(statement, call, text, text)
    return None
