"""Parts of containers, by the words of the source: of `[ids, mask]` part 1 is `mask`. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from whydied.source.trees import written

_ITEMS = re.compile(r"(?:\[[^\[\]]*\])*")
_ITEM = re.compile(r"\[([^\]]*)\]")


def expression(text: str) -> ast.expr:
    """An expression from its text; a name that has it as its own where it is not Python."""
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return ast.Name(text)


def part(node: ast.AST | None, key: object) -> ast.expr | None:
    """An item of a tuple, list or dict that is written out."""
    if isinstance(node, (ast.Tuple, ast.List)) and isinstance(key, int) and -len(node.elts) <= key < len(node.elts):
        return node.elts[key]
    if isinstance(node, ast.Dict):
        named = zip(node.keys, node.values, strict=True)
        return next((value for name, value in named if isinstance(name, ast.Constant) and name.value == key), None)
    return None


def item(text: str, path: Sequence[object]) -> str:
    """`labels` for `('kind',)` of `{'kind': labels}`; `data['kind']` where the container is not written out."""
    node: ast.AST = expression(text)
    at = 0
    while at < len(path) and (inner := part(node, path[at])) is not None:
        node, at = inner, at + 1
    return (written(node) if at else text) + "".join(f"[{key!r}]" for key in path[at:])


def item_in(text: str, items: str) -> str:
    """The same for `['kind']` as the source would write it."""
    try:
        path = [ast.literal_eval(key) for key in _ITEM.findall(items)] if _ITEMS.fullmatch(items) else []
    except (SyntaxError, ValueError):
        path = []
    return item(text, path) if path else f"{text}{items}"


def whole(text: str) -> str:
    """The array that a part is taken from: of `y[k:k + 8]` it is `y`; `data['y']` is whole."""
    node = taken = expression(text)
    while isinstance(taken, ast.Subscript) and not isinstance(taken.slice, ast.Constant):
        taken = taken.value
    return text if taken is node else written(taken)


def holder_of(text: str, items: int) -> str:
    """`pages` of `pages[day]` where one item is left out."""
    node = expression(text)
    for _ in range(items):
        node = node.value if isinstance(node, ast.Subscript) else node
    return written(node)


def count_of(text: str) -> int | None:
    """How many parts a tuple or list that is written out has; None where it is not one."""
    node = expression(text)
    return len(node.elts) if isinstance(node, ast.Tuple | ast.List) else None
