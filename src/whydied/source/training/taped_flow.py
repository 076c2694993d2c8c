"""Which expressions lie between the variables and a loss: forward from what is trained, through assignments, loops, the
program's own functions and what they return, as far as the loss needs it. Pure.

What only comes from data is not among them. A function is taken with all that any of its calls on the way passes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from whydied.source.assignments import targets
from whydied.source.calls import bound_arguments, method_calls, parameters, passed_argument
from whydied.source.location import Location
from whydied.source.origins.trails import Trails
from whydied.source.text import Source
from whydied.source.training.trained_names import opens, trained, uses
from whydied.source.trees import Function, nodes_at, scope_at, walk, within, written

_DEEPEST = 5
_ROUNDS = 4
_FILLING = ("append", "extend")
_ABOUT = frozenset({"shape", "dtype", "ndim", "name"})
_FIT = ("fit", "train_on_batch")


class Taped(NamedTuple):
    """An expression on the way to the loss; `names` are the variables around it that depend on what is trained."""

    file: str
    value: ast.expr
    names: frozenset[str]
    roots: frozenset[str]

    def depends(self, node: ast.AST) -> bool:
        """Whether a part of it depends on what is trained. A size does not."""
        return _depends(node, self.names, self.roots)


def taped(sources: Mapping[str, Source], place: Location, callers: list[Location]) -> list[Taped]:
    """The expressions between the variables and the loss of the line at which there was no gradient."""
    flow = _Flow(sources)
    for at in [place, *callers]:
        if at.file in sources and (_of_block(flow, sources[at.file], at) or _of_call(flow, sources, at)):
            break
    return flow.found()


def _of_block(flow: _Flow, source: Source, at: Location) -> bool:
    scope = scope_at(source.tree, at.line)
    asked = [(one, call) for one, call in method_calls(ast.walk(source.tree), ("gradient", "jacobian")) if call.args]
    own = [one for one in asked if scope_at(source.tree, one[1].lineno) is scope]
    near = [one for one in own if one[1].lineno <= (at.end_line or at.line)] or (asked if len(asked) == 1 else [])
    if not near:
        return False
    tape, call = max(near, key=lambda one: one[1].lineno)
    scope = scope_at(source.tree, call.lineno)
    blocks = [one for one in within(scope) if isinstance(one, ast.With) and opens(one, written(tape))]
    if not blocks:
        return False
    block = max(blocks, key=lambda one: (one.lineno <= call.lineno, one.lineno))
    by = passed_argument(call, "1") or passed_argument(call, "sources")
    roots = trained(source, scope, by) if by is not None else set()
    flow.body(at.file, block.body, {written(call.args[0])}, set(), frozenset(roots))
    return True


def _of_call(flow: _Flow, sources: Mapping[str, Source], at: Location) -> bool:
    """What `minimize` is given, and the loss functions of what `fit` trains."""
    source = sources[at.file]
    scope = scope_at(source.tree, at.line)
    nodes = nodes_at(sources, at)
    for _, call in method_calls(nodes, ("minimize",)):
        loss = passed_argument(call, "loss") or passed_argument(call, "0")
        by = passed_argument(call, "var_list") or passed_argument(call, "1")
        roots = frozenset(trained(source, scope, by))
        if isinstance(loss, ast.Lambda):
            flow.expression(at.file, loss.body, set(), roots)
            return True
        if isinstance(loss, ast.Name) and (function := flow.trails.function(loss.id)) is not None:
            flow.function(*function, set(), roots)
            return True
    if any(isinstance(one, ast.Attribute) and one.attr in _FIT for one in nodes):
        for _, call in method_calls(ast.walk(source.tree), ("compile",)):
            loss = passed_argument(call, "loss") or passed_argument(call, "1")
            named = flow.trails.function(loss.id) if isinstance(loss, ast.Name) else None
            given = parameters(named[1]) if named is not None else []
            if named is not None and len(given) > 1:
                flow.function(*named, {given[1]}, frozenset())
                return True
    return False


class _Flow:
    def __init__(self, sources: Mapping[str, Source]) -> None:
        self.trails = Trails(sources, ())
        self._deep = 0
        self._found: dict[int, Taped] = {}
        self._given: dict[int, set[str]] = {}

    def found(self) -> list[Taped]:
        return list(self._found.values())

    def function(self, file: str, function: Function, given: set[str], roots: frozenset[str]) -> bool:
        """Whether what a function returns depends on what is trained, where these parameters do."""
        known = self._given.setdefault(id(function), set())
        known |= given
        if self._deep >= _DEEPEST:
            return bool(known)
        self._deep += 1
        try:
            return self.body(file, function.body, set(), set(known), roots)
        finally:
            self._deep -= 1

    def body(
        self, file: str, statements: list[ast.stmt], wanted: set[str], names: set[str], roots: frozenset[str]
    ) -> bool:
        """Whether a return of these statements depends on what is trained; what they compute of it for the wanted
        names or a return is kept."""
        nodes = list(within(ast.Module(statements, [])))
        needed = _needed(nodes, wanted)
        is_given = False
        for _ in range(_ROUNDS):
            before = len(names)
            for node in nodes:
                for bound, value in _computed(node):
                    is_needed = bound is None or bool(_names(bound) & needed)
                    if is_needed and self.expression(file, value, names, roots):
                        names |= _names(bound) if bound is not None else set()
                        is_given |= bound is None
            if len(names) == before:
                break
        return is_given

    def expression(self, file: str, value: ast.expr, names: set[str], roots: frozenset[str]) -> bool:
        kept = Taped(file, value, frozenset(names), roots)
        inner = {
            name for one in walk(value, ast.comprehension) if kept.depends(one.iter) for name in _names(one.target)
        }
        kept = kept._replace(names=kept.names | inner)
        found = False
        for call in walk(value, ast.Call):
            function = self.trails.called(call)
            if function is None:
                continue
            given = {name for name, one in bound_arguments(call, function[1]).items() if kept.depends(one)}
            found |= self.function(*function, given, roots) or bool(given)
        if found or kept.depends(value):
            self._found[id(value)] = kept
            return True
        return False


def _computed(node: ast.AST) -> Iterator[tuple[ast.expr | None, ast.expr]]:
    """What a statement gives to a name; None for a return."""
    value = getattr(node, "value", None)
    if isinstance(node, ast.Return) and node.value is not None:
        yield None, node.value
    elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign) and isinstance(value, ast.expr):
        yield from ((one, value) for one in targets(node))
    elif isinstance(node, ast.For):
        yield node.target, node.iter
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        for subject, call in method_calls([node.value], _FILLING):
            yield from ((subject, one) for one in call.args)


def _needed(nodes: list[ast.AST], wanted: set[str]) -> set[str]:
    """The names that the wanted ones, or a return, are computed from."""
    found = set(wanted)
    for _ in range(len(nodes)):
        before = len(found)
        for node in nodes:
            for bound, value in _computed(node):
                if (bound is None and not wanted) or (bound is not None and _names(bound) & found):
                    found |= {written(one) for one in walk(value, (ast.Name, ast.Attribute))}
        if len(found) == before:
            break
    return found


def _names(target: ast.expr) -> set[str]:
    if isinstance(target, ast.Tuple | ast.List):
        return {name for one in target.elts for name in _names(one)}
    if isinstance(target, ast.Subscript | ast.Starred):
        return _names(target.value)
    return {written(target)}


def _depends(node: ast.AST, names: frozenset[str], roots: frozenset[str]) -> bool:
    if isinstance(node, ast.Attribute) and node.attr in _ABOUT:
        return False
    if isinstance(node, ast.Call) and written(node.func) in ("len", "tf.shape"):
        return False
    if isinstance(node, ast.Name | ast.Attribute) and written(node) in names:
        return True
    if isinstance(node, ast.Call | ast.Name | ast.Attribute) and _is_root(node, roots):
        return True
    return any(_depends(one, names, roots) for one in ast.iter_child_nodes(node))


def _is_root(node: ast.expr, roots: frozenset[str]) -> bool:
    if isinstance(node, ast.Call):
        inner = ast.Call(node.func, [], [])
        return uses(inner, set(roots))
    return written(node) in roots
