"""How the user's code writes a value that a library holds: a feed's entries, a fetch, a session, a graph; runs in the
user's process, after an exception.

Invariant: an expression stands for a value only where looking it up gives that very object; nothing of the user's
is called or compared, but for plain texts and numbers.
"""

from __future__ import annotations

import ast
from typing import Any, NamedTuple

from whydied.inside.errors.framework import keras_context
from whydied.inside.errors.stack_steps import Step, frame_of
from whydied.inside.guest import live_source, lookup
from whydied.inside.guest.lookup import Missing, instance_dict
from whydied.records import Frame
from whydied.source.calls import passed_argument
from whydied.source.trees import nodes_on, scope_at, within

LARGEST_STEPS = 4
LARGEST_NAMES = 2000
_LARGEST_TEXT = 80
_PLAIN = (str, int, float, bool)


class Entry(NamedTuple):
    """An entry of a dictionary as the source has it, with the user's steps from the outermost to its own."""

    key: ast.expr
    value: ast.expr
    written: Frame | None
    users: list[Step]


class Words:
    """The names that the user's frames have for objects, the innermost frame first."""

    def __init__(self, users: list[Step]) -> None:
        self.users = users
        self._names: dict[int, str] = {}
        for step in users[::-1][:LARGEST_STEPS]:
            self._add(step.names, "")
            self._add(instance_dict(step.names["self"]) if "self" in step.names else {}, "self.")
        for step in users[::-1][:1]:
            self._add(step.frame.f_globals, "")
        for step in users[::-1][:1]:
            for name, value in list(step.names.items())[:100]:
                self._add(instance_dict(value) if _is_the_users(value) and name != "self" else {}, f"{name}.")

    def _add(self, names: dict[str, Any], before: str) -> None:
        for name, value in list(names.items())[:LARGEST_NAMES]:
            if type(value) not in _PLAIN and value is not None:
                self._names.setdefault(id(value), before + name)

    def of(self, value: Any) -> str:
        """The name of an object, "" where it has none."""
        return self._names.get(id(value), "")

    def call(self) -> ast.Call | None:
        return keras_context.call_node(self.users[-1]) if self.users else None

    def among(self, nodes: list[ast.expr], value: Any) -> str:
        """The expression among some that stands for a value; else its name."""
        step = self.users[-1]
        for node in nodes:
            for part in ast.walk(node):
                if isinstance(part, (ast.Name, ast.Attribute, ast.Subscript, ast.Constant)) and _is(part, step, value):
                    return written(part)
        return self.of(value)

    def fetched(self) -> list[ast.expr]:
        """The first argument of the `run` that failed."""
        call = self.call()
        if call is None:
            return []
        if isinstance(call.func, ast.Attribute) and call.func.attr == "eval":
            return [call.func.value]
        given = passed_argument(call, "0") or passed_argument(call, "fetches")
        return [given, *self._behind(given)] if given is not None else []

    def _behind(self, node: ast.expr) -> list[ast.expr]:
        """What a name of the failing function was assigned from."""
        parsed = live_source.source(self.users[-1].file or "")
        if parsed is None or not isinstance(node, ast.Name):
            return []
        scope = scope_at(parsed.tree, self.users[-1].line)
        assigns = [one for one in within(scope) if isinstance(one, ast.Assign)]
        return [one.value for one in assigns if any(written(target) == node.id for target in one.targets)]

    def entry(self, key: Any) -> Entry | None:
        """The entry of a feed that has a key: on the failing line, else the nearest above it, else any."""
        for depth, step in enumerate(self.users[::-1][:LARGEST_STEPS]):
            parsed = live_source.source(step.file or "")
            if parsed is None or step.file is None:
                continue
            found = [
                (one, line)
                for one, line in _entries(list(within(scope_at(parsed.tree, step.line))))
                if _is(one[0], step, key)
            ]
            here = {id(node) for node in nodes_on(parsed, step.line)}
            ranked = sorted(found, key=lambda one: (id(one[0][0]) not in here, one[1] > step.line, -one[1]))
            if ranked:
                (node, value), line = ranked[0]
                users = self.users[: len(self.users) - depth]
                at = [*users[:-1], Step(step.frame, line + 1, step.file, called=step.function)]
                return Entry(node, value, frame_of(step.file, line, step.function), at)
        return None


def _entries(nodes: list[ast.AST]) -> list[tuple[tuple[ast.expr, ast.expr], int]]:
    found: list[tuple[tuple[ast.expr, ast.expr], int]] = []
    for node in nodes:
        if isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            found += [((key, value), key.lineno) for key, value in pairs if key is not None]
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            found.append(((node.targets[0].slice, node.value), node.lineno))
    return found


def _is(node: ast.AST, step: Step, value: Any) -> bool:
    own = lookup.evaluate(node, step.frame)
    if isinstance(own, Missing):
        return False
    return own is value or (type(own) in _PLAIN and type(own) is type(value) and own == value)


def written(node: ast.AST) -> str:
    return ast.unparse(node)[:_LARGEST_TEXT]


def _is_the_users(value: Any) -> bool:
    module = type.__getattribute__(type(value), "__module__")
    return isinstance(module, str) and module.partition(".")[0] not in (
        *("builtins", "tensorflow", "numpy", "keras", "pandas", "types", "_frozen_importlib"),
    )
