"""One pass over a tree: the parent of each node, the scope and the loops around it, and what binds each name. Pure.

Invariant: the tree is walked once, however many rules ask. A scope is a module, a class body, a function or a lambda; a
comprehension belongs to the scope that it stands in, and its targets are bound there as "comprehension".
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeVar

from whydied.source.trees import Function

Kind = Literal[
    "assign", "augment", "loop", "with", "parameter", "definition", "import", "handler", "comprehension", "delete"
]
Loop = ast.For | ast.AsyncFor | ast.While
Scope = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Found = TypeVar("Found", bound=ast.AST)
_SCOPES = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_PLAIN = frozenset({ast.Constant, ast.Name})
_MARKS = frozenset({ast.Load, ast.Store, ast.Del, *ast.operator.__subclasses__(), *ast.boolop.__subclasses__()})
_BINDING = frozenset(
    {
        *(ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.AugAssign, ast.For, ast.AsyncFor, ast.comprehension, ast.With),
        *(ast.AsyncWith, ast.Delete, ast.ExceptHandler, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal),
        *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda),
    }
)
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


class Bound(NamedTuple):
    """What gives a name its value. `value` is what it gets, or what it is taken out of: then `place` says from where,
    outermost first. Of a loop it is what is iterated, of a parameter its default."""

    kind: Kind
    node: ast.AST
    value: ast.expr | None = None
    place: tuple[int, ...] = ()


class Scopes:
    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.parents: dict[ast.AST, ast.AST] = {}
        self._scope: dict[ast.AST, Scope] = {}
        self._nodes: dict[type[ast.AST], list[ast.AST]] = {}
        self.bound: dict[Scope, dict[str, list[Bound]]] = {tree: {}}
        self.attributes: dict[ast.ClassDef, dict[str, list[Bound]]] = {}
        self._elsewhere: dict[Scope, dict[str, Scope]] = {}
        self._walk(tree)

    def every(self, kind: type[Found]) -> list[Found]:
        """All nodes of a kind, in the order of the source."""
        return self._nodes.get(kind, [])  # type: ignore[return-value]

    @property
    def functions(self) -> list[Function]:
        return [*self.every(ast.FunctionDef), *self.every(ast.AsyncFunctionDef)]

    @property
    def loops(self) -> list[Loop]:
        return [*self.every(ast.For), *self.every(ast.AsyncFor), *self.every(ast.While)]

    def scope(self, node: ast.AST) -> Scope:
        """The scope that a node stands in; of a function the one around it."""
        return self._scope[node]

    def parent(self, node: ast.AST) -> ast.AST | None:
        return self.parents.get(node)

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        while (above := self.parents.get(node)) is not None:
            yield above
            node = above

    def statement(self, node: ast.AST) -> ast.stmt:
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def function(self, node: ast.AST) -> Function | None:
        """The innermost function around a node."""
        return next((one for one in self.ancestors(node) if isinstance(one, Function)), None)

    def owner(self, node: ast.AST) -> ast.ClassDef | None:
        """The class whose method a node stands in."""
        return next((one for one in self.ancestors(node) if isinstance(one, ast.ClassDef)), None)

    def loops_around(self, node: ast.AST) -> list[Loop]:
        """The loops whose body a node stands in, innermost first, within the same function."""
        found: list[Loop] = []
        inner = node
        for one in self.ancestors(node):
            if isinstance(one, _SCOPES):
                break
            if isinstance(one, Loop) and inner in one.body:
                found.append(one)
            inner = one
        return found

    def within(self, node: ast.AST, outer: ast.AST) -> bool:
        return node is outer or any(one is outer for one in self.ancestors(node))

    def visible(self, name: str, at: ast.AST) -> tuple[Scope, list[Bound]] | None:
        """All bindings of a name that a node sees, and their scope; None for a name of nobody here."""
        scope: Scope | None = at if isinstance(at, ast.Module) else self._scope[at]
        first = True
        while scope is not None:
            where = self._elsewhere.get(scope, {}).get(name, scope)
            found = self.bound.get(where, {}).get(name)
            if found and (first or not isinstance(where, ast.ClassDef)):
                return where, found
            first = False
            scope = self._scope.get(scope)
        return None

    def reaching(self, name: ast.Name) -> list[Bound]:
        """The bindings that a name can have its value from where it is read: those behind it are left out unless a
        loop leads back, and those before one that surely comes later."""
        seen = self.visible(name.id, name)
        if seen is None:
            return []
        scope, everywhere = seen
        inside = [one for one in everywhere if one.kind == "comprehension" and self._comprehends(one, name)]
        if inside:
            return inside[-1:]
        found = [one for one in everywhere if one.kind != "comprehension"]
        if scope is not self._scope[name] or len(found) == 1:
            return found
        loops = set(self.loops_around(name))
        before = [one for one in found if self._precedes(one, name)]
        after = [one for one in found if one not in before and loops & set(self.loops_around(one.node))]
        for at in range(len(before) - 1, -1, -1):
            if self._is_sure(before[at], name):
                sure = before[at]
                # A loop leads back from behind the use only if nothing sure stands before it in that loop.
                own = set(self.loops_around(sure.node))
                rest = [one for one in after if not (loops & set(self.loops_around(one.node))) <= own]
                return before[at:] + rest
        return before + after

    def _comprehends(self, one: Bound, name: ast.Name) -> bool:
        return self.within(name, self.parents[one.node])

    def _precedes(self, one: Bound, name: ast.Name) -> bool:
        if one.kind == "parameter":
            return True
        if self.within(name, one.node):
            # The target of a loop or a `with` is bound before its body; an assignment only after its value.
            return one.kind in ("loop", "with", "definition", "handler") and not self._in_header(one.node, name)
        return _position(one.node) < _position(name)

    def _in_header(self, node: ast.AST, name: ast.AST) -> bool:
        inner: ast.AST = name
        for above in self.ancestors(name):
            if above is node:
                return not any(inner in getattr(node, block, []) for block in _BLOCKS if getattr(node, block, None))
            inner = above
        return True

    def _is_sure(self, one: Bound, name: ast.Name) -> bool:
        """Whether a binding above a use has surely happened: its block holds the use further down."""
        if one.kind in ("parameter", "comprehension"):
            return True
        if one.kind in ("augment", "handler", "delete"):
            return False
        node = one.node
        if one.kind in ("loop", "with"):
            return self.within(name, node) and not self._in_header(node, name)
        block = self.parents.get(node)
        inner: ast.AST = name
        for above in self.ancestors(name):
            if above is block:
                return _same_block(above, node, inner)
            inner = above
        return False

    def _walk(self, tree: ast.Module) -> None:
        # Most of the time of a check is spent here: types are looked up, not tested one after the other.
        nodes, parents, scopes = self._nodes, self.parents, self._scope
        waiting: list[tuple[ast.AST, Scope]] = [(tree, tree)]
        while waiting:
            node, scope = waiting.pop()
            kind = type(node)
            if kind in _PLAIN:
                scopes[node] = scope
                nodes.setdefault(kind, []).append(node)
                continue
            nodes.setdefault(kind, []).append(node)
            if node is not tree:
                scopes[node] = scope
            if kind in _BINDING:
                self._bind(node, scope)
            children: list[ast.AST] = []
            for field in node._fields:
                value = getattr(node, field, None)
                if isinstance(value, list):
                    children += [one for one in value if isinstance(one, ast.AST)]
                elif isinstance(value, ast.AST) and type(value) not in _MARKS:
                    children.append(value)
            for child in children:
                parents[child] = node
            children.reverse()
            if node is tree or not isinstance(node, _SCOPES):
                waiting += [(child, scope) for child in children]
            elif isinstance(node, ast.Lambda):
                self.bound.setdefault(node, {})
                waiting += [(child, node) for child in children]
            else:
                # Decorators, defaults and bases belong to the scope around.
                self.bound.setdefault(node, {})
                own = set(node.body)
                waiting += [(child, node if child in own else scope) for child in children]

    def _bind(self, node: ast.AST, scope: Scope) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._targets(target, "assign", node, node.value, scope)
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr):
            if node.value is not None:
                self._targets(node.target, "assign", node, node.value, scope)
        elif isinstance(node, ast.AugAssign):
            self._targets(node.target, "augment", node, node.value, scope)
        elif isinstance(node, ast.For | ast.AsyncFor):
            self._targets(node.target, "loop", node, node.iter, scope)
        elif isinstance(node, ast.comprehension):
            self._targets(node.target, "comprehension", node, node.iter, scope)
        elif isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                if item.optional_vars is not None:
                    self._targets(item.optional_vars, "with", node, item.context_expr, scope)
        elif isinstance(node, ast.Delete):
            for target in node.targets:
                self._targets(target, "delete", node, None, scope)
        elif isinstance(node, ast.ExceptHandler):
            if node.name:
                self._add(scope, node.name, Bound("handler", node))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                self._add(scope, alias.asname or alias.name.partition(".")[0], Bound("import", node))
        elif isinstance(node, ast.Global | ast.Nonlocal):
            for name in node.names:
                self._elsewhere.setdefault(scope, {})[name] = self._declared(node, scope)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            self._add(scope, node.name, Bound("definition", node))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            self._parameters(node)

    def _declared(self, node: ast.Global | ast.Nonlocal, scope: Scope) -> Scope:
        return self.tree if isinstance(node, ast.Global) else self._scope.get(scope, self.tree)

    def _parameters(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        given = node.args
        plain = [*given.posonlyargs, *given.args]
        defaults: list[ast.expr | None] = [None] * (len(plain) - len(given.defaults)) + list(given.defaults)
        pairs = [*zip(plain, defaults, strict=True), *zip(given.kwonlyargs, given.kw_defaults, strict=True)]
        pairs += [(one, None) for one in (given.vararg, given.kwarg) if one is not None]
        for argument, default in pairs:
            self._add(node, argument.arg, Bound("parameter", node, default))

    def _targets(
        self,
        target: ast.expr,
        kind: Kind,
        node: ast.AST,
        value: ast.expr | None,
        scope: Scope,
        place: tuple[int, ...] = (),
    ) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            parts = value.elts if isinstance(value, ast.Tuple | ast.List) and kind == "assign" else None
            if parts is not None and not place and len(parts) == len(target.elts):
                for one, own in zip(target.elts, parts, strict=True):
                    self._targets(one, kind, node, own, scope)
                return
            for at, one in enumerate(target.elts):
                self._targets(one, kind, node, value, scope, (*place, at))
        elif isinstance(target, ast.Starred):
            self._targets(target.value, kind, node, value, scope, place)
        elif isinstance(target, ast.Name):
            where = self._elsewhere.get(scope, {}).get(target.id, scope)
            self._add(where, target.id, Bound(kind, node, value, place))
        elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self":
            owner = self._class_of(scope)
            if owner is not None:
                self.attributes.setdefault(owner, {}).setdefault(target.attr, []).append(
                    Bound(kind, node, value, place)
                )

    def _class_of(self, scope: Scope) -> ast.ClassDef | None:
        above: Scope | None = scope
        while above is not None and not isinstance(above, ast.ClassDef):
            above = self._scope.get(above)
        return above

    def _add(self, scope: Scope, name: str, one: Bound) -> None:
        self.bound.setdefault(scope, {}).setdefault(name, []).append(one)


def _same_block(parent: ast.AST, node: ast.AST, use: ast.AST) -> bool:
    """Whether two statements stand in one block of their parent, or the second in a part that is run with the first."""
    for name in _BLOCKS:
        block = getattr(parent, name, None)
        if isinstance(block, list) and node in block:
            return use in block
    return False


def _position(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
