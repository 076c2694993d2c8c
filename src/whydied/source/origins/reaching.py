"""Which bindings of a name can be the one that a line sees: branches are joined, a later binding hides an earlier one,
and the end of a loop's body reaches its beginning. Pure.

Invariant: a binding that the line may see is never left out; one too many may be among them where only the running
program knows which way it went.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.source.bindings import Binding, bound_by
from whydied.source.trees import holds, shallow

_State = dict[int, Binding | None]
"""The bindings that hold at a point; None for what the name was before the scope began."""
_BEFORE: _State = {0: None}
_JUMPS = (ast.Return, ast.Raise, ast.Continue, ast.Break)


class Reaching(NamedTuple):
    """`bindings` by line; `from_before` says that the name may still be a parameter, or that of a scope around."""

    bindings: list[Binding]
    from_before: bool


def reaching(name: str, scope: ast.AST, line: int) -> Reaching:
    """What a statement at a line of a scope sees; for a line behind the scope, what its end sees."""
    walk = _Walk(name, line)
    body = getattr(scope, "body", [])
    at_end = walk.block(body, _BEFORE) if isinstance(body, list) else _BEFORE
    state = walk.seen if walk.seen is not None else (at_end or {})
    bound = [one for one in state.values() if one is not None]
    return Reaching(sorted(bound, key=lambda one: one.line), None in state.values())


class _Walk:
    def __init__(self, name: str, line: int) -> None:
        self.seen: _State | None = None
        self._name = name
        self._line = line
        self._jumped: list[_State] = []

    def block(self, statements: list[ast.stmt], state: _State | None) -> _State | None:
        """What holds behind statements; None where they never come to their end."""
        for one in statements:
            if state is None:
                return None
            state = self._statement(one, state)
        return state

    def _statement(self, node: ast.stmt, state: _State) -> _State | None:
        blocks = _blocks(node)
        if holds(node, self._line) and not any(holds(one, self._line) for block in blocks for one in block):
            self.seen = {**(self.seen or {}), **state}
        own = {id(one.node) + hash(one.place): one for part in shallow(node) for one in bound_by(part, self._name)}
        after: _State = {**own} if own else state
        if isinstance(node, _JUMPS):
            self._jumped += [after] if isinstance(node, ast.Continue | ast.Break) else []
            return None
        if isinstance(node, ast.For | ast.AsyncFor | ast.While):
            return self._loop(node, state, after)
        if isinstance(node, ast.If):
            return _joined(self.block(node.body, after), self.block(node.orelse, after))
        if isinstance(node, ast.With | ast.AsyncWith):
            return self.block(node.body, after)
        if isinstance(node, ast.Try):
            return self._try(node, after)
        if isinstance(node, ast.Match):
            return _joined(after, *(self.block(case.body, after) for case in node.cases))
        return after

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, before: _State, inside: _State) -> _State | None:
        outer, self._jumped = self._jumped, []
        first = self.block(node.body, inside)
        again = _joined(inside, first, *self._jumped) or {}
        # The target of a `for` is bound anew in each turn.
        again = inside if inside is not before else again
        self.block(node.body, again)
        after = _joined(before, first, *self._jumped)
        self._jumped = outer
        return _joined(after, self.block(node.orelse, after or {})) if node.orelse else after

    def _try(self, node: ast.Try, state: _State) -> _State | None:
        body = self.block(node.body, state)
        inner = {id(one.node): one for part in node.body for sub in ast.walk(part) for one in bound_by(sub, self._name)}
        raised = {**state, **inner}
        ends = [self.block(node.orelse, body) if node.orelse else body]
        ends += [self.block(one.body, raised) for one in node.handlers]
        return self.block(node.finalbody, _joined(*ends)) if node.finalbody else _joined(*ends)


def _joined(*states: _State | None) -> _State | None:
    known = [one for one in states if one is not None]
    return {key: one for state in known for key, one in state.items()} if known else None


def _blocks(node: ast.stmt) -> list[list[ast.stmt]]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return []
    found = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
    found += [one.body for one in getattr(node, "handlers", [])]
    return found + [one.body for one in getattr(node, "cases", [])]
