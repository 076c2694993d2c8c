"""The line of the user's that a line of generated code stands for. Pure.

AutoGraph runs a copy of a function that it has rewritten into a file of its own. While the program lives it knows which
line is which; of a process that crashed only the two texts are left. The function keeps its name, and a statement the
names that are in it, so the statement with most names in common is the one. Nothing is told where none has any.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whydied.source.text import Source, tree_or_empty
from whydied.source.trees import walk

_MARK = "__autograph_generated_file"
_PREFIX = "tf__"
_OWN = frozenset({"ag__", "ld", "converted_call", "fscope", "converted_scope"})


def is_generated(file: str) -> bool:
    return file.rsplit("/", 1)[-1].startswith(_MARK)


def original(sources: dict[str, Source], file: str, line: int, function: str) -> tuple[str, int] | None:
    """The file and line of the user's statement for a line of a generated file."""
    copy = sources.get(file)
    statement = copy.statement(line) if copy is not None else None
    wanted = _words(statement.source) if statement is not None else frozenset()
    best: tuple[float, str, int] | None = None
    for name, source in sources.items():
        if is_generated(name):
            continue
        for node in _statements(source.tree, function.removeprefix(_PREFIX)):
            words = _names(node)
            common = len(words & wanted)
            if common and (best is None or common / len(words | wanted) > best[0]):
                best = (common / len(words | wanted), name, node.lineno)
    return best[1:] if best is not None else None


def _statements(tree: ast.AST, function: str) -> Iterator[ast.stmt]:
    """The simple statements of the functions with this name."""
    for node in walk(tree, ast.FunctionDef):
        if node.name == function:
            yield from (inner for inner in walk(node, ast.stmt) if not hasattr(inner, "body"))


def _words(text: str) -> frozenset[str]:
    return _names(tree_or_empty(text.strip())) - _OWN


def _names(node: ast.AST) -> frozenset[str]:
    found: set[str] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name):
            found.add(inner.id)
        elif isinstance(inner, ast.Attribute):
            found.add(inner.attr)
        elif isinstance(inner, ast.Constant) and isinstance(inner.value, str | int | float):
            found.add(repr(inner.value))
    return frozenset(name for name in found if not name.startswith("fscope"))
