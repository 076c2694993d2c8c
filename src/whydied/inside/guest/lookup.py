"""Values of the user's program, reached without running any of its code; runs in the user's process.

Invariant: a name is looked up in the frame, an attribute in the `__dict__` of an instance, class or module, a
subscript in a plain list, tuple or dict, a slice in a list, tuple or array; what is not found that way is missing.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping
from types import FrameType
from typing import Any

from whydied.inside.guest import guard

LARGEST_CUT = 100_000


class Missing:
    """The answer where a value cannot be had without running code."""


MISSING = Missing()


def evaluate(node: ast.AST | None, frame: FrameType, names: Mapping[str, Any] | None = None) -> Any:
    """What an expression is worth in a frame. `names` are its variables, where they were read before."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        places = (frame.f_locals if names is None else names, frame.f_globals, vars(builtins))
        return next((place[node.id] for place in places if node.id in place), MISSING)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = evaluate(node.operand, frame, names)
        return -value if type(value) in (int, float) else MISSING
    if isinstance(node, ast.Attribute):
        base = evaluate(node.value, frame, names)
        return MISSING if isinstance(base, Missing) else attribute(base, node.attr)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        parts = (node.slice.lower, node.slice.upper, node.slice.step)
        ends = [None if part is None else evaluate(part, frame, names) for part in parts]
        return _cut(evaluate(node.value, frame, names), ends)
    if isinstance(node, ast.Subscript):
        return item(evaluate(node.value, frame, names), evaluate(node.slice, frame, names))
    return MISSING


def attribute(base: Any, name: str) -> Any:
    """An attribute that lies in a `__dict__`, with no property, `__getattr__` or descriptor involved."""
    own = instance_dict(base)
    if name in own:
        return own[name]
    kind = base if isinstance(base, type) else type(base)
    for parent in type.__dict__["__mro__"].__get__(kind):
        found = type.__dict__["__dict__"].__get__(parent).get(name, MISSING)
        if not isinstance(found, Missing):
            plain = callable(found) or not hasattr(type(found), "__get__")
            return found if plain else MISSING
    return MISSING


def instance_dict(base: Any) -> dict[str, Any]:
    try:
        own = object.__getattribute__(base, "__dict__")
    except Exception as error:
        if guard.is_the_users(error):
            raise
        return {}
    return own if type(own) is dict else {}


def item(base: Any, index: Any) -> Any:
    """An item of a plain list, tuple or dict."""
    try:
        if type(base) in (list, tuple) and type(index) is int and -len(base) <= index < len(base):
            return base[index]
        if type(base) is dict and type(index) in (str, int, bool, float):
            return base.get(index, MISSING)
    except Exception as error:
        if guard.is_the_users(error):
            raise
    return MISSING


def _cut(base: Any, ends: list[Any]) -> Any:
    """A slice of an array, list or tuple: a view of the first, a copy of the others where they are short."""
    kind = type(base)
    is_array = kind.__module__ == "numpy" and kind.__name__ == "ndarray" and base.ndim > 0
    if not is_array and (kind not in (list, tuple) or len(base) > LARGEST_CUT):
        return MISSING
    if any(end is not None and type(end) is not int for end in ends) or ends[2] == 0:
        return MISSING
    return base[slice(*ends)]
