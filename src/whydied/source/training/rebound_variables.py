"""Names of variables that are given to a tensor: `self.table = self.table * 0.9` where `assign` was meant. Pure.

An attribute counts where another method of its class, or of a base class, makes the variable; a name or an item where
the new value is computed from the old one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from whydied.source.assignments import targets, unpacked
from whydied.source.calls import callee
from whydied.source.text import Source
from whydied.source.trees import Function, across, last_name, walk, within, written

_MAKERS = frozenset({"Variable", "add_weight", "add_variable", "get_variable"})
_Bound = tuple[ast.expr, ast.expr, ast.stmt]


class Rebound(NamedTuple):
    """`name` is that of the variable, as written; `made` is the line that makes it, `statement` the one that gives its
    name away."""

    file: str
    name: str
    made: int
    statement: ast.Assign | ast.AugAssign

    def is_at(self, file: str, line: int) -> bool:
        node = self.statement
        return file == self.file and node.lineno <= line <= (node.end_lineno or node.lineno)


def rebound(sources: Mapping[str, Source]) -> list[Rebound]:
    """All of them, in the order of the source."""
    found: dict[tuple[str, int, int], Rebound] = {}
    for one in [*_attributes(sources), *_names(sources)]:
        found.setdefault((one.file, one.statement.lineno, one.statement.col_offset), one)
    return [found[place] for place in sorted(found)]


def _attributes(sources: Mapping[str, Source]) -> Iterator[Rebound]:
    classes = [(file, one) for file, one in across(sources, ast.ClassDef)]
    by_name = {one.name: one for _, one in classes}
    for file, owner in classes:
        # The first line that makes it counts.
        made = dict(reversed([pair for base in _bases(owner, by_name) for pair in _made(base)]))
        for method in (one for one in owner.body if isinstance(one, Function)):
            own = {written(target) for target, value, _ in _bound(method) if _makes(value)}
            for target, value, statement in _bound(method):
                name = written(target)
                is_new = name in made and name not in own and isinstance(target, ast.Attribute)
                is_added = isinstance(statement, ast.AugAssign)
                if is_new and isinstance(statement, ast.Assign | ast.AugAssign) and (is_added or _is_computed(value)):
                    yield Rebound(file, name, made[name], statement)


def _bases(owner: ast.ClassDef, by_name: Mapping[str, ast.ClassDef], deep: int = 4) -> list[ast.ClassDef]:
    above = [by_name[name] for one in owner.bases if (name := last_name(one)) in by_name and name != owner.name]
    return [*(one for base in above if deep for one in _bases(base, by_name, deep - 1)), owner]


def _made(owner: ast.ClassDef) -> Iterator[tuple[str, int]]:
    for method in (one for one in owner.body if isinstance(one, Function)):
        for target, value, statement in _bound(method):
            if _makes(value):
                yield written(target), statement.lineno


def _names(sources: Mapping[str, Source]) -> Iterator[Rebound]:
    for file, source in sources.items():
        for scope in [source.tree, *walk(source.tree, ast.FunctionDef)]:
            bound = list(_bound(scope))
            for target, value, statement in bound:
                read = {written(one) for one in walk(value, ast.expr)}
                is_own = isinstance(statement, ast.AugAssign) or written(target) in read
                if not is_own or not isinstance(statement, ast.Assign | ast.AugAssign) or _makes(value):
                    continue
                line = _line_made(source, scope, target, bound)
                if line and line < statement.lineno:
                    yield Rebound(file, written(target), line, statement)


def _line_made(source: Source, scope: ast.AST, target: ast.expr, bound: list[_Bound]) -> int:
    """The line that makes a variable of a name, or of the items of a container."""
    name = written(target)
    shared = {one for node in within(scope) if isinstance(node, ast.Global) for one in node.names}
    base = target.value if isinstance(target, ast.Subscript) else target
    root = last_name(base) if isinstance(base, ast.Name) else ""
    if root in shared or (isinstance(target, ast.Subscript) and scope is not source.tree):
        bound = [*_bound(source.tree), *bound]
    if isinstance(target, ast.Attribute) and not name.startswith("self."):
        bound = [*bound, *(one for each in walk(source.tree, ast.FunctionDef) for one in _bound(each))]
        own = f"self.{target.attr}"
        return next((one.lineno for made, value, one in bound if written(made) in (own, name) and _makes(value)), 0)
    for made, value, one in bound:
        is_item = isinstance(target, ast.Subscript) and written(made) == written(base)
        if (written(made) == name and _makes(value)) or (is_item and _holds(value)):
            return one.lineno
    return 0


def _bound(scope: ast.AST) -> list[_Bound]:
    """What the statements of a scope give to which names, by line."""
    found: list[_Bound] = []
    for node in within(scope):
        value = getattr(node, "value", None)
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign) and isinstance(value, ast.expr):
            found += [(one, part, node) for target in targets(node) for one, part in unpacked(target, value)]
    return sorted(found, key=lambda one: one[2].lineno)


def _makes(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and callee(value) in _MAKERS


def _holds(value: ast.expr) -> bool:
    """Whether a list or a dict is written out of variables."""
    items: list[ast.expr | None] = []
    if isinstance(value, ast.List | ast.Tuple):
        items = list(value.elts)
    elif isinstance(value, ast.Dict):
        items = list(value.values)
    elif isinstance(value, ast.ListComp):
        items = [value.elt]
    elif isinstance(value, ast.DictComp):
        items = [value.value]
    return bool(items) and all(one is not None and _makes(one) for one in items)


def _is_computed(value: ast.expr) -> bool:
    """Whether a value is computed, and no variable."""
    return not _makes(value) and isinstance(value, ast.Call | ast.BinOp | ast.UnaryOp | ast.Subscript | ast.Name)
