"""Models that a loop makes or compiles anew in each turn though nothing of them changes. Pure.

Invariant: only what wraps things from outside of the loop counts (`Model(inputs, outputs)`, `compile`). A model with
layers of its own is another one in each turn, which may be meant.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.source.assignments import stored_names, targets
from whydied.source.edits.edit import Edit
from whydied.source.edits.statement_edits import move_above, stands_alone
from whydied.source.statements import Loop, loops_in
from whydied.source.text import Source
from whydied.source.trees import holds, last_name, walk, within

_WRAPS = "Model"
_COMPILES = "compile"


class Wrapper(NamedTuple):
    """What makes a model in a loop, in order: `line` is that of the model, `loop_line` that of the loop."""

    line: int
    loop_line: int
    statements: list[ast.stmt]

    def moved(self, source: Source, file: str) -> list[Edit]:
        """The same above the loop; empty where a statement shares its lines with others."""
        if not all(stands_alone(source, one) for one in self.statements):
            return []
        return [edit for one in self.statements for edit in move_above(source, file, one, self.loop_line)]


def wrapper_in_loop(source: Source, line: int, name: str) -> Wrapper | None:
    """What a loop around a line makes `name` of in each turn, where all of it comes from outside; of several loops the
    outermost."""
    around = sorted((loop for loop in loops_in(source.tree) if holds(loop, line)), key=lambda loop: loop.lineno)
    return next((found for loop in around if (found := _in(loop, name)) is not None), None)


def _in(loop: Loop, name: str) -> Wrapper | None:
    made = _makers(loop, name, set())
    compiled = [one for one in _statements(loop) if _compiles(one, name)]
    if made is None or len(compiled) > 1 or not (made or compiled):
        return None
    if made and not _wraps(made[-1]):
        return None
    moved = sorted([*made, *compiled], key=lambda one: one.lineno)
    if any(_needs(one) & (stored_names(loop) - _stored(made)) for one in compiled):
        return None
    return Wrapper((made or compiled)[-1].lineno, loop.lineno, moved)


def _makers(loop: Loop, name: str, seen: set[str]) -> list[ast.stmt] | None:
    """The statements of a loop that `name` comes of, the last of them its own; empty where it comes from outside, None
    where it differs from turn to turn."""
    if name not in stored_names(loop):
        return []
    found = [one for one in _statements(loop) if name in stored_names(one)]
    if name in seen or name in _in_headers(loop) or len(found) != 1 or not isinstance(found[0], ast.Assign):
        return None
    before: list[ast.stmt] = []
    for needed in sorted(_needs(found[0])):
        inner = _makers(loop, needed, seen | {name})
        if inner is None:
            return None
        before += [one for one in inner if one not in before]
    return [*before, found[0]]


def _statements(loop: Loop) -> list[ast.stmt]:
    return [one for one in within(loop) if isinstance(one, ast.stmt) and not hasattr(one, "body")]


def _in_headers(loop: Loop) -> set[str]:
    """The names that headers of blocks give a value to: `for x in …`, `with … as x`."""
    found: set[str] = set()
    for one in (loop, *within(loop)):
        if isinstance(one, ast.For | ast.AsyncFor):
            found |= stored_names(one.target)
        elif isinstance(one, ast.withitem) and one.optional_vars is not None:
            found |= stored_names(one.optional_vars)
    return found


def _needs(node: ast.stmt) -> set[str]:
    return {one.id for one in walk(node, ast.Name) if isinstance(one.ctx, ast.Load)}


def _stored(statements: list[ast.stmt]) -> set[str]:
    return {name for one in statements for name in stored_names(one)}


def _wraps(node: ast.stmt) -> bool:
    value = node.value if isinstance(node, ast.Assign) else None
    return isinstance(value, ast.Call) and last_name(value.func) == _WRAPS and len(targets(node)) == 1


def _compiles(node: ast.stmt, name: str) -> bool:
    call = node.value if isinstance(node, ast.Expr) else None
    return (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == _COMPILES
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id == name
    )
