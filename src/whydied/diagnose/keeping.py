"""Finds the statement that keeps objects in a named holder: the append, the assignment, the item. Pure.

A census names the holder as a path (`tensors`, `self.debug`, `history['loss']`, `model.layers[2].cache`). The code that
fills it may write that path differently (`self.cache` inside the class), so attributes are matched by their last name.
"""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from whydied.diagnose.choice import written
from whydied.read.source import Source

_ADDING = {"append", "appendleft", "extend", "add", "insert", "update", "setdefault", "put", "put_nowait", "write"}
_COMPREHENSIONS = (ast.ListComp, ast.DictComp, ast.SetComp)


class Keeping(NamedTuple):
    """A statement that puts something into the holder. `function` is the one that it stands in, `name` the holder as
    the statement writes it."""

    file: str
    line: int
    function: str
    name: str


def keepings(path: str, sources: dict[str, Source]) -> list[Keeping]:
    """Every statement of the user's that fills a holder, in the order of the files."""
    last = _last_name(path)
    if last is None:
        return []
    is_attribute = "." in re.sub(r"\[[^\]]*\]", "", path)
    found = []
    for file, source in sources.items():
        tree = source.tree
        if tree is not None:
            found.extend(_Finder(file, last, is_attribute).find(tree))
    return found


def _last_name(path: str) -> str | None:
    names = re.findall(r"[A-Za-z_]\w*", re.sub(r"\[[^\]]*\]", "", path))
    return names[-1] if names else None


class _Finder:
    def __init__(self, file: str, name: str, is_attribute: bool) -> None:
        self._file = file
        self._name = name
        self._is_attribute = is_attribute
        self._found: list[Keeping] = []

    def find(self, tree: ast.AST) -> list[Keeping]:
        # No recursion: a sum of a thousand terms is a tree a thousand deep.
        waiting = [(tree, "<module>")]
        while waiting:
            node, function = waiting.pop()
            for holder in self._filled_by(node):
                self._note(node, holder, function)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                function = node.name
            waiting.extend((child, function) for child in reversed(list(ast.iter_child_nodes(node))))
        return self._found

    def _filled_by(self, node: ast.AST) -> list[ast.expr]:
        """The holders that a node puts something into."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _ADDING:
            return [node.func.value] if self._is_holder(node.func.value) else []
        if isinstance(node, ast.AugAssign):
            return [node.target] if self._is_holder(node.target) else []
        if isinstance(node, ast.Assign):
            targets = [target for target in node.targets if self._is_holder(target)]
            filled = bool(targets) and (_is_filled(node.value) or self._mentions(node.value))
            items = [target.value if isinstance(target, ast.Subscript) else target for target in targets]
            return [item for item, target in zip(items, targets, strict=True) if filled or item is not target]
        return []

    def _is_holder(self, node: ast.AST) -> bool:
        while isinstance(node, ast.Subscript):
            node = node.value
        if isinstance(node, ast.Attribute):
            return node.attr == self._name
        return isinstance(node, ast.Name) and node.id == self._name and not self._is_attribute

    def _mentions(self, node: ast.AST) -> bool:
        return any(isinstance(part, ast.Name | ast.Attribute) and self._is_holder(part) for part in ast.walk(node))

    def _note(self, node: ast.AST, holder: ast.expr, function: str) -> None:
        self._found.append(Keeping(self._file, getattr(node, "lineno", 0), function, written(holder)))


def _is_filled(node: ast.AST) -> bool:
    """Whether an expression makes a container with something in it; `{"loss": []}` has nothing in it yet."""
    if isinstance(node, ast.List | ast.Set):
        return any(not _is_empty(item) for item in node.elts)
    if isinstance(node, ast.Dict):
        return any(not _is_empty(item) for item in node.values)
    return isinstance(node, _COMPREHENSIONS)


def _is_empty(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) or (isinstance(node, ast.List | ast.Set | ast.Dict) and not _is_filled(node))
