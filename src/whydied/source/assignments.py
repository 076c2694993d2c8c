"""What names are assigned from, by the source alone. Pure; runs in the user's process after an exception, and after its
death, so that both read the same out of a file."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from whydied.source.location import Location
from whydied.source.text import Source
from whydied.source.trees import located, nodes_at, nodes_of, walk, within, written


class Assigned(NamedTuple):
    """`value` is the expression, `line` that of the statement."""

    value: ast.expr
    line: int


def reads(nodes: Iterable[ast.AST]) -> list[ast.expr]:
    """The names, dotted names and items that are read."""
    return [
        node
        for node in nodes
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Load)
    ]


def stored_names(node: ast.AST) -> set[str]:
    """The variables that something in a tree gives a value to."""
    return {name.id for name in walk(node, ast.Name) if isinstance(name.ctx, ast.Store)}


def targets(node: ast.AST) -> list[ast.expr]:
    """What a statement assigns to; empty for one that assigns nothing."""
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AnnAssign | ast.AugAssign) else []


def unpacked(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Each target with its own value: `a, b = 1, 2` are two assignments."""
    if (
        isinstance(target, ast.Tuple | ast.List)
        and isinstance(value, ast.Tuple | ast.List)
        and len(target.elts) == len(value.elts)
    ):
        for one, other in zip(target.elts, value.elts, strict=True):
            yield from unpacked(one, other)
    else:
        yield target, value


def part_for(made: ast.AST, name: str) -> ast.expr | None:
    """What one of several names that a statement assigns gets: its place in a tuple, and of a split of several arrays
    (`train_test_split(x, y)`, which gives two parts of each) the array. None where the value is not taken apart."""
    if not isinstance(made, ast.Assign):
        return None
    for target in made.targets:
        for one, value in unpacked(target, made.value):
            if value is not made.value and ast.unparse(one) == name:
                return value
        names = [ast.unparse(one) for one in target.elts] if isinstance(target, ast.Tuple | ast.List) else []
        split = made.value if isinstance(made.value, ast.Call) and "split" in ast.unparse(made.value.func) else None
        if split is not None and name in names and len(names) == 2 * len(split.args):
            return split.args[names.index(name) // 2]
    return None


def returned(function: ast.AST, made: ast.AST, name: str) -> tuple[ast.expr | None, int]:
    """What a function that a statement calls gives one of the names assigned there, and the line of its only return."""
    returns = [node for node in within(function) if isinstance(node, ast.Return) and node.value is not None]
    if len(returns) != 1 or returns[0].value is None or not isinstance(made, ast.Assign):
        return None, 0
    pairs = [pair for target in made.targets for pair in unpacked(target, returns[0].value)]
    found = [value for one, value in pairs if ast.unparse(one) == name]
    return (found[0] if found else None), returns[0].lineno


def assigned(name: str, scope: ast.AST) -> list[Assigned]:
    """What a name is assigned from in a scope, in every place, by line."""
    found: list[Assigned] = []
    for node in within(scope):
        pairs: list[tuple[ast.expr, ast.expr]] = []
        if isinstance(node, ast.NamedExpr):
            pairs = [(node.target, node.value)]
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            pairs = [(node.target, node.iter)]
        else:
            pairs = [(target, value) for target in targets(node) if (value := getattr(node, "value", None)) is not None]
        for target, whole in pairs:
            found += [Assigned(one, one.lineno) for part, one in unpacked(target, whole) if _is_among(name, part)]
    return sorted(found, key=lambda one: one.line)


def _is_among(name: str, target: ast.expr) -> bool:
    if isinstance(target, (ast.Tuple, ast.List)):
        return any(_is_among(name, one) for one in target.elts)
    return ast.unparse(target.value if isinstance(target, ast.Starred) else target) == name


def last_assignment(name: str, scope: ast.AST, before: int) -> ast.stmt | None:
    """The last statement of a scope above a line that gives a variable a value, loops included."""
    found = [
        node
        for node in within(scope)
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.For)) and node.lineno < before
        if any(
            part.id == name
            for target in ([node.target] if isinstance(node, ast.For) else targets(node))
            for part in walk(target, ast.Name)
        )
    ]
    return max(found, key=lambda node: node.lineno, default=None)


def last_line_in(tree: ast.AST, function: str, name: str) -> int | None:
    """The last line of a function, by its name, that assigns a variable."""
    lines = [
        node.lineno
        for node, inside in nodes_of(tree)
        if isinstance(node, ast.Assign) and inside == function
        if any(isinstance(one, ast.Name) and one.id == name for one in node.targets)
    ]
    return lines[-1] if lines else None


def item_targets(sources: Mapping[str, Source], place: Location) -> list[str]:
    """What a statement assigns items of: `x` of `x[rows] = 0`."""
    every = [one for node in nodes_at(sources, place) for one in targets(node)]
    return [written(one.value) for one in every if isinstance(one, ast.Subscript)]


def target(sources: Mapping[str, Source], place: Location) -> str | None:
    """The variable that a statement assigns."""
    found = (written(made[0]) for node in nodes_at(sources, place) if len(made := targets(node)) == 1)
    return next(found, None)


def assignment(sources: Mapping[str, Source], path: str) -> Location | None:
    """The last statement that assigns a variable or attribute."""
    name = re.sub(r"\[[^\]]*\]", "", path).rpartition(".")[2]
    for file, source in sources.items():
        assigning = walk(source.tree, (ast.Assign, ast.AnnAssign))
        lines = [node.lineno for node in assigning if name in _bound(targets(node))]
        if lines:
            return located(sources, file, max(lines))
    return None


def _bound(pending: list[ast.expr]) -> set[str]:
    """The names that targets bind; an item of a container binds none."""
    found: set[str] = set()
    for one in pending:
        if isinstance(one, ast.Tuple | ast.List):
            found |= _bound(one.elts)
        elif isinstance(one, ast.Name | ast.Attribute):
            found.add(one.id if isinstance(one, ast.Name) else one.attr)
    return found
