"""The value that a name which nothing makes was meant for, by what its statement asks of it; runs in the user's
process, after an exception.

Invariant: attributes are looked up in `__dict__`s, so no code of the user's runs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FrameType, FunctionType, ModuleType
from typing import Any, NamedTuple

from whydied.inside.guest.lookup import Missing, attribute, instance_dict
from whydied.source.text import Source
from whydied.source.trees import nodes_on

_WORD = 3


class Asked(NamedTuple):
    """`what` is the attribute or the key, `names` those that have it."""

    what: str
    names: tuple[str, ...]


NOBODY = Asked("", ())


def look(name: str, near: tuple[str, ...], frame: FrameType, source: Source) -> Asked:
    """Of the live values that have what is asked the one whose name is near, or shares a word with the missed one, or
    the only one at all."""
    nodes = nodes_on(source, frame.f_lineno)
    wanted = list(dict.fromkeys(_asked(name, nodes)))
    if not wanted:
        return NOBODY
    having = [other for other, value in _values(frame) if all(_has(value, kind, what) for kind, what in wanted)]
    close = [other for other in near if other in having]
    if close:
        return Asked(wanted[0][1], tuple(close))
    alike = [other for other in having if _words(other) & _words(name)]
    found = [] if near else alike or (having if len(having) == 1 else [])
    return Asked(wanted[0][1], tuple(found)) if len(found) == 1 else NOBODY


def _asked(name: str, nodes: list[ast.AST]) -> Iterator[tuple[str, str]]:
    for node in nodes:
        base = getattr(node, "value", None)
        if not isinstance(base, ast.Name) or base.id != name:
            continue
        if isinstance(node, ast.Attribute):
            yield "attribute", node.attr
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and type(node.slice.value) is str:
            yield "key", node.slice.value


def _values(frame: FrameType) -> Iterator[tuple[str, Any]]:
    for name, value in (frame.f_globals | frame.f_locals).items():
        plain = not isinstance(value, (ModuleType, type, FunctionType)) and value is not None
        if plain and not name.startswith("_") and name not in ("In", "Out", "exit", "quit", "get_ipython", "open"):
            yield name, value


def _has(value: Any, kind: str, what: str) -> bool:
    if kind == "key":
        columns = instance_dict(value).get("_mgr") is not None and getattr(value, "columns", None)
        held = value if type(value) is dict else columns if columns is not None and columns is not False else ()
        return what in list(held)
    if not isinstance(attribute(value, what), Missing):
        return True
    # A property, which is not run.
    bases = type.__dict__["__mro__"].__get__(type(value))
    return any(what in type.__dict__["__dict__"].__get__(base) for base in bases)


def _words(name: str) -> set[str]:
    return {word for word in name.lower().split("_") if len(word) >= _WORD}
