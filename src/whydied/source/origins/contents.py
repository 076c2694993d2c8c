"""Every expression of the program that a value, or something inside of it, may have come from: through names and what
fills them, targets of `for`, tuples, items, parameters, attributes, results of functions, comprehensions. Pure.

Invariant: nothing is left out that the source says plainly, and more may be found than the value holds: whoever asks
knows what he is looking for, by its type, and takes what is left only where it is one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from whydied.source.bindings import bindings, part_of
from whydied.source.calls import bound_arguments, callee, own_names
from whydied.source.origins.trails import Trails
from whydied.source.text import Source
from whydied.source.trees import Function, across, function_at, scope_at, tree_of, walk, within, written

_MOST = 400
_FILLING = {"append": 0, "add": 0, "appendleft": 0, "put": 0, "insert": 1, "setdefault": 1, "extend": 0, "update": 0}
_SEVERAL = ("extend", "update")
"""They put in what their argument holds, and not the argument."""
_VIEWS = frozenset({"values", "items", "get", "pop", "copy", "popleft"})


class Origin(NamedTuple):
    """`is_held` says that the value came out of this expression, or is inside of it, and is not this value itself."""

    file: str
    node: ast.expr
    is_held: bool = False


class Contents:
    """What a value may have come from, as seen from the statements that ran."""

    def __init__(self, sources: Mapping[str, Source], trails: Trails) -> None:
        self._sources = sources
        self._trails = trails

    def of(self, file: str, node: ast.expr) -> Iterator[Origin]:
        """The nearest first, the expression itself among them."""
        waiting = [Origin(file, node)]
        seen: set[tuple[int, bool]] = set()
        while waiting and len(seen) < _MOST:
            one = waiting.pop(0)
            if (id(one.node), one.is_held) in seen:
                continue
            seen.add((id(one.node), one.is_held))
            yield one
            waiting += self._behind(one)

    def _behind(self, use: Origin) -> Iterator[Origin]:
        node = use.node
        if isinstance(node, ast.Name):
            yield from self._of_name(use, node)
        elif isinstance(node, ast.Attribute):
            yield from self._of_attribute(use, node)
        elif isinstance(node, ast.Call):
            yield from self._of_call(use, node)
        elif isinstance(node, ast.List | ast.Tuple | ast.Set):
            yield from (Origin(use.file, one) for one in node.elts)
        elif isinstance(node, ast.Dict):
            yield from (Origin(use.file, one) for one in node.values)
        elif isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp):
            yield Origin(use.file, node.elt)
        elif isinstance(node, ast.DictComp):
            yield Origin(use.file, node.value)
        elif isinstance(node, ast.Lambda):
            yield Origin(use.file, node.body)
        elif isinstance(node, ast.Subscript | ast.Starred):
            yield use._replace(node=node.value, is_held=True)
        elif isinstance(node, ast.IfExp):
            yield from (use._replace(node=one) for one in (node.body, node.orelse))
        elif isinstance(node, ast.BoolOp):
            yield from (use._replace(node=one) for one in node.values)
        elif isinstance(node, ast.BinOp):
            yield from (use._replace(node=one, is_held=True) for one in (node.left, node.right))
        elif isinstance(node, ast.Compare):
            yield from (use._replace(node=one, is_held=True) for one in (node.left, *node.comparators))
        elif isinstance(node, ast.UnaryOp):
            yield use._replace(node=node.operand, is_held=True)
        elif isinstance(node, ast.NamedExpr):
            yield use._replace(node=node.value)

    def _of_name(self, use: Origin, node: ast.Name) -> Iterator[Origin]:
        for owner in walk(
            tree_of(self._sources, use.file), (ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)
        ):
            if any(inner is node for inner in ast.walk(owner)):
                for part in owner.generators:  # type: ignore[attr-defined]
                    if node.id in {name.id for name in walk(part.target, ast.Name)}:
                        yield Origin(use.file, part.iter, is_held=True)
        function = function_at(tree_of(self._sources, use.file), node.lineno)
        own = bindings(node.id, function) if function is not None else []
        seen = [(use.file, one) for one in own] or self._trails.bound(use.file, node.lineno, node.id)
        for file, one in seen:
            if one.value is not None:
                value, rest = part_of(one.value, one.place)
                yield use._replace(file=file, node=value, is_held=use.is_held or bool(rest) or one.kind == "loop")
        for file in {file for file, _ in seen}:
            yield from self._filled(file, node.lineno, node.id)
        if function is not None and node.id in own_names(function):
            yield from self._of_parameter(use, function, node.id)
            yield from self._filled(use.file, node.lineno, node.id)

    def _filled(self, file: str, line: int, name: str) -> Iterator[Origin]:
        """What statements put into what a name stands for."""
        tree = tree_of(self._sources, file)
        for node in within(scope_at(tree, line)) if "." not in name else ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _FILLING:
                at = _FILLING[node.func.attr]
                if written(_whole(node.func.value)) == name and len(node.args) > at:
                    yield Origin(file, node.args[at], is_held=node.func.attr in _SEVERAL)
            if isinstance(node, ast.Assign | ast.AugAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for one in targets:
                    if isinstance(one, ast.Subscript) and written(_whole(one)) == name:
                        yield Origin(file, node.value)
                    elif isinstance(node, ast.AugAssign) and written(one) == name:
                        yield Origin(file, node.value, is_held=True)

    def _of_parameter(self, use: Origin, function: Function, name: str) -> Iterator[Origin]:
        called = {function.name}
        if function.name == "__init__":
            kinds = walk(tree_of(self._sources, use.file), ast.ClassDef)
            called = {kind.name for kind in kinds if function in kind.body}
        for file, call in across(self._sources, ast.Call):
            given = bound_arguments(call, function).get(name) if callee(call) in called else None
            if given is not None:
                yield use._replace(file=file, node=given)
            elif callee(call) == "map" and len(call.args) > 1 and written(call.args[0]).rpartition(".")[2] in called:
                yield from (Origin(file, one, is_held=True) for one in call.args[1:])

    def _of_attribute(self, use: Origin, node: ast.Attribute) -> Iterator[Origin]:
        """Of an object's attribute all lines of the program that set or fill one of its name."""
        for file, made in across(self._sources, (ast.Assign, ast.AnnAssign)):
            assert isinstance(made, ast.Assign | ast.AnnAssign)
            targets = made.targets if isinstance(made, ast.Assign) else [made.target]
            if made.value is not None and any(
                isinstance(one, ast.Attribute) and one.attr == node.attr for one in targets
            ):
                yield use._replace(file=file, node=made.value)
        for file in self._sources:
            yield from self._filled(file, 0, f"self.{node.attr}")
        yield use._replace(node=node.value, is_held=True)

    def _of_call(self, use: Origin, call: ast.Call) -> Iterator[Origin]:
        own = self._trails.called(call)
        if own is not None:
            for node in within(own[1]):
                if isinstance(node, ast.Return | ast.Yield) and node.value is not None:
                    yield use._replace(
                        file=own[0], node=node.value, is_held=use.is_held and isinstance(node, ast.Return)
                    )
            return
        if isinstance(call.func, ast.Attribute):
            yield Origin(use.file, call.func.value, is_held=True)
            if call.func.attr in _VIEWS:
                return
        # What a library makes of its arguments holds what they hold: a list, rows of them, two parts of each.
        for one in (*call.args, *(word.value for word in call.keywords)):
            named = self._trails.function(written(one)) if callee(call) == "map" else None
            if named is not None:
                returns = [node.value for node in within(named[1]) if isinstance(node, ast.Return) and node.value]
                yield from (Origin(named[0], value) for value in returns)
            elif isinstance(one, ast.Lambda):
                yield Origin(use.file, one.body)
            else:
                yield Origin(use.file, one, is_held=True)


def _whole(node: ast.expr) -> ast.expr:
    """`rows` of `rows[key]`."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node
