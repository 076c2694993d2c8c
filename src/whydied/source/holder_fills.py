"""Finds the statement that keeps objects in a named holder: the append, the assignment, the item. Pure.

A census names the holder as a path (`tensors`, `self.debug`, `history['loss']`, `model.layers[2].cache`). The code that
fills it may write that path differently (`self.cache` inside the class), so attributes are matched by their last name.
"""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from whydied.source.text import Source
from whydied.source.trees import nodes_of, written

_ADDING = {"append", "appendleft", "extend", "add", "insert", "update", "setdefault", "put", "put_nowait", "write"}
_COMPREHENSIONS = (ast.ListComp, ast.DictComp, ast.SetComp)


class HolderFill(NamedTuple):
    """A statement that puts something into the holder. `function` is the one that it stands in, `name` the holder as
    the statement writes it."""

    file: str
    line: int
    function: str
    name: str


def holder_fills(path: str, sources: dict[str, Source]) -> list[HolderFill]:
    """Every statement of the user's that fills a holder, in the order of the files."""
    name = HolderName.of(path)
    found: list[HolderFill] = []
    if name is None:
        return found
    for file, source in sources.items():
        for node, function in nodes_of(source.tree):
            if isinstance(node, ast.FunctionDef) and node.name == name.name:
                # A function that holds something is one with a cache around it.
                found += [HolderFill(file, one.lineno, function, path) for one in node.decorator_list[:1]]
            line = getattr(node, "lineno", 0)
            found += [HolderFill(file, line, function, written(holder)) for holder in _filled_by(node, name)]
    return found


class HolderName(NamedTuple):
    """How a holder may be written in the source: a variable by its name, an attribute by its last name."""

    name: str
    is_attribute: bool

    @classmethod
    def of(cls, path: str) -> HolderName | None:
        plain = re.sub(r"\[[^\]]*\]", "", path)
        names = re.findall(r"[A-Za-z_]\w*", plain)
        return cls(names[-1], "." in plain) if names else None

    def is_written(self, node: ast.AST) -> bool:
        """Whether an expression is the holder, or an item of it."""
        while isinstance(node, ast.Subscript):
            node = node.value
        if isinstance(node, ast.Attribute):
            return node.attr == self.name
        return isinstance(node, ast.Name) and node.id == self.name and not self.is_attribute

    def is_mentioned(self, node: ast.AST) -> bool:
        return any(isinstance(part, ast.Name | ast.Attribute) and self.is_written(part) for part in ast.walk(node))


def _filled_by(node: ast.AST, name: HolderName) -> list[ast.expr]:
    """The holders that a node puts something into."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _ADDING:
        return [node.func.value] if name.is_written(node.func.value) else []
    if isinstance(node, ast.AugAssign):
        return [node.target] if name.is_written(node.target) else []
    if isinstance(node, ast.Assign):
        targets = [target for target in node.targets if name.is_written(target)]
        filled = bool(targets) and (_is_filled(node.value) or name.is_mentioned(node.value))
        items = [target.value if isinstance(target, ast.Subscript) else target for target in targets]
        return [item for item, target in zip(items, targets, strict=True) if filled or item is not target]
    return []


def _is_filled(node: ast.AST) -> bool:
    """Whether an expression makes a container with something in it; `{"loss": []}` has nothing in it yet."""
    if isinstance(node, ast.List | ast.Set):
        return any(not _is_empty(item) for item in node.elts)
    if isinstance(node, ast.Dict):
        return any(not _is_empty(item) for item in node.values)
    return isinstance(node, _COMPREHENSIONS)


def _is_empty(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) or (isinstance(node, ast.List | ast.Set | ast.Dict) and not _is_filled(node))
