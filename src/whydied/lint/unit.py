"""What one rule is asked about: a file, or a notebook as the text of all its cells, with what its names mean. Pure but
for the files of the project that it imports, which are read when a name leads there.

Invariant: lines and columns of nodes are those of the joined text; `Unit.place` says in which cell a line stands. A
cell that is not Python is left out, and an error says so.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterator
from typing import NamedTuple

from whydied.lint.scopes import Bound, Scopes
from whydied.source.numbers import evaluate
from whydied.source.text import Source
from whydied.source.trees import Function, dotted_name, last_name

_DEEPEST = 6
_ROOTS = {
    "tensorflow.compat.v1.keras": "keras",
    "tensorflow.compat.v1": "tf",
    "tensorflow.compat.v2.keras": "keras",
    "tensorflow.compat.v2": "tf",
    "tensorflow.python.keras": "keras",
    "tensorflow.keras": "keras",
    "tensorflow": "tf",
    "tf_keras": "keras",
    "keras": "keras",
    "numpy": "np",
}
_GRAPH = frozenset(
    {
        *("tf.Session", "tf.InteractiveSession", "tf.placeholder", "tf.disable_v2_behavior"),
        *("tf.disable_eager_execution", "tf.train.MonitoredTrainingSession"),
    }
)


class CellText(NamedTuple):
    """A code cell: `number` counts from 1, `first` is its first line in the joined text, `label` the number that its
    last run gave it."""

    number: int
    text: str
    first: int
    label: int | None = None


class Unit:
    """`follow` gives the unit that an import of this one names, where that is a file of the project."""

    def __init__(
        self,
        file: str,
        source: Source,
        cells: tuple[CellText, ...] = (),
        follow: Callable[[str, int, str], Unit | None] | None = None,
    ) -> None:
        self.file = file
        self.source = source
        self.cells = cells
        self._follow = follow
        self._paths: dict[ast.AST, str] = {}
        self.memory: dict[str, object] = {}
        """What was found out about it, for other rules."""

    @property
    def tree(self) -> ast.Module:
        return self.source.tree

    @functools.cached_property
    def scopes(self) -> Scopes:
        return Scopes(self.tree)

    @property
    def calls(self) -> list[ast.Call]:
        return self.scopes.every(ast.Call)

    def place(self, line: int) -> tuple[CellText | None, int]:
        """The cell that a line stands in, and its line there."""
        for cell in reversed(self.cells):
            if line >= cell.first:
                return cell, line - cell.first + 1
        return None, line

    def path(self, node: ast.AST) -> str:
        """The whole name that an imported thing has, such as `tensorflow.compat.v1.Session`; "" for anything else."""
        if not isinstance(node, ast.Name | ast.Attribute):
            return ""
        if node not in self._paths:
            self._paths[node] = ""
            self._paths[node] = self._found_path(node, _DEEPEST)
        return self._paths[node]

    def _found_path(self, node: ast.AST, depth: int) -> str:
        if isinstance(node, ast.Attribute):
            inner = self.path(node.value)
            return f"{inner}.{node.attr}" if inner else ""
        if not isinstance(node, ast.Name):
            return ""
        seen = self.scopes.visible(node.id, node)
        if seen is None:
            return ""
        paths = {self._bound_path(one, node.id, depth) for one in seen[1]}
        # `try: import a except ImportError: import b`: the last one that is known.
        known = {path for path in paths if path}
        return known.pop() if len(paths) == 1 and known else _preferred(paths)

    def _bound_path(self, one: Bound, name: str, depth: int) -> str:
        if one.kind == "assign" and not one.place and isinstance(one.value, ast.Attribute | ast.Name) and depth:
            return self.path(one.value) if one.value in self._paths else self._found_path(one.value, depth - 1)
        if isinstance(one.node, ast.Import):
            for alias in one.node.names:
                if (alias.asname or alias.name.partition(".")[0]) == name:
                    return alias.name if alias.asname else name
        if isinstance(one.node, ast.ImportFrom) and not one.node.level:
            for alias in one.node.names:
                if (alias.asname or alias.name) == name:
                    return f"{one.node.module}.{alias.name}"
        return ""

    def named(self, node: ast.AST) -> str:
        """The same with `tf`, `keras` or `np` as its root, whichever way it was imported; `tf.keras` is `keras`, and
        TensorFlow 1 within TensorFlow 2 is `tf`."""
        return short(self.path(node))

    def called(self, call: ast.AST) -> str:
        return self.named(call.func) if isinstance(call, ast.Call) else ""

    @functools.cached_property
    def is_graph(self) -> bool:
        """Whether it builds a graph of TensorFlow 1."""
        nodes: list[ast.Attribute | ast.Name] = [*self.scopes.every(ast.Attribute), *self.scopes.every(ast.Name)]
        return any(last_name(node) in _GRAPH_LAST and self.named(node) in _GRAPH for node in nodes)

    @functools.cached_property
    def uses_tensorflow(self) -> bool:
        imports: list[ast.Import | ast.ImportFrom] = [
            *self.scopes.every(ast.Import),
            *self.scopes.every(ast.ImportFrom),
        ]
        names = [alias.name for node in imports if isinstance(node, ast.Import) for alias in node.names]
        names += [node.module or "" for node in imports if isinstance(node, ast.ImportFrom)]
        return any(name.partition(".")[0] in ("tensorflow", "keras", "tf_keras") for name in names)

    def number(self, node: ast.AST | None, depth: int = _DEEPEST) -> float | None:
        """The number that an expression has, through names that are bound once."""
        if node is None:
            return None
        known: dict[str, float] = {}
        for one in ast.walk(node):
            if isinstance(one, ast.Name) and depth and one.id not in known:
                seen = self.scopes.visible(one.id, one)
                if seen is None or len(seen[1]) != 1 or seen[1][0].place:
                    continue
                bound = seen[1][0]
                value = self.number(bound.value, depth - 1) if bound.kind in ("assign", "parameter") else None
                if value is not None:
                    known[one.id] = value
        return evaluate(node, known)

    def text_of(self, node: ast.AST | None) -> str | None:
        """The text that an expression is: a literal, or a name that is bound once to one."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        if isinstance(node, ast.Name):
            seen = self.scopes.visible(node.id, node)
            only = seen[1][0] if seen is not None and len(seen[1]) == 1 else None
            if only is not None and isinstance(only.value, ast.Constant) and not only.place:
                return self.text_of(only.value)
        return None

    def definition(self, node: ast.AST) -> tuple[Unit, Function | ast.ClassDef] | None:
        """The function or class of the project that an expression names: here, or in a file that it was imported
        from."""
        if isinstance(node, ast.Name):
            seen = self.scopes.visible(node.id, node)
            if seen is None or len(seen[1]) != 1:
                return None
            one = seen[1][0]
            if isinstance(one.node, Function | ast.ClassDef) and one.kind == "definition":
                return self, one.node
            return self._imported(one, node.id)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id == "self":
                return self._method(node)
            seen = self.scopes.visible(node.value.id, node.value)
            if seen is not None and len(seen[1]) == 1 and self._follow is not None:
                for module, level in _modules(seen[1][0], node.value.id):
                    other = self._follow(module, level, "")
                    if other is not None:
                        return other.top_level(node.attr)
        return None

    def _method(self, node: ast.Attribute) -> tuple[Unit, Function] | None:
        owner = self.scopes.owner(node)
        found = [one for one in owner.body if isinstance(one, Function) and one.name == node.attr] if owner else []
        return (self, found[0]) if len(found) == 1 else None

    def _imported(self, one: Bound, name: str) -> tuple[Unit, Function | ast.ClassDef] | None:
        if not isinstance(one.node, ast.ImportFrom) or self._follow is None:
            return None
        for alias in one.node.names:
            if (alias.asname or alias.name) == name:
                other = self._follow(one.node.module or "", one.node.level, alias.name)
                return other.top_level(alias.name) if other is not None else None
        return None

    def top_level(self, name: str) -> tuple[Unit, Function | ast.ClassDef] | None:
        found = self.scopes.bound[self.tree].get(name, [])
        if len(found) == 1 and isinstance(found[0].node, Function | ast.ClassDef):
            return self, found[0].node
        return None

    def function(self, call: ast.Call) -> tuple[Unit, Function] | None:
        """The function of the project that a call runs."""
        found = self.definition(call.func)
        return (found[0], found[1]) if found is not None and isinstance(found[1], Function) else None

    def written(self, node: ast.AST) -> str:
        """A name as the source writes it, for messages: short expressions only."""
        text = dotted_name(node) if isinstance(node, ast.Name | ast.Attribute) else None
        if text is None:
            try:
                text = ast.unparse(node)
            except RecursionError:
                return "…"
        return text if len(text) <= 60 else f"{text[:57]}…"


_GRAPH_LAST = {name.rpartition(".")[2] for name in _GRAPH}


@functools.lru_cache(maxsize=4096)
def short(path: str) -> str:
    for root, name in _ROOTS.items():
        if path == root or path.startswith(f"{root}."):
            return f"{name}{path[len(root) :]}"
    return path


def _preferred(paths: set[str]) -> str:
    """Of several doors to the same thing (`keras` or `tensorflow.keras`) any; "" where a name means two things."""
    short_names = {short(path) for path in paths}
    return max(paths) if len(short_names) == 1 else ""


def _modules(one: Bound, name: str) -> Iterator[tuple[str, int]]:
    if isinstance(one.node, ast.Import):
        for alias in one.node.names:
            if (alias.asname or alias.name) == name:
                yield alias.name, 0
    elif isinstance(one.node, ast.ImportFrom):
        for alias in one.node.names:
            if (alias.asname or alias.name) == name:
                yield f"{one.node.module}.{alias.name}" if one.node.module else alias.name, one.node.level
