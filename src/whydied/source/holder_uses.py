"""What a program does with what it gathers in a named holder: reads it, counts it, or only fills it. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from whydied.source.calls import callee
from whydied.source.container_parts import part
from whydied.source.holder_fills import HolderName
from whydied.source.text import Source
from whydied.source.trees import Function, across, last_name, nodes_of, written

_MAKERS = frozenset({"list", "dict", "set", "deque", "OrderedDict", "defaultdict"})
_JOINING = frozenset({"stack", "concatenate", "concat", "array", "asarray", "vstack", "hstack"})
_STATISTICS = frozenset({"mean", "sum", "max", "min", "amax", "amin"})
_IN_TENSORFLOW = "reduce_"
_NO_USE = frozenset({"len", "print", "id", "type", "isinstance", "getsizeof", "del"})
_TAKING = frozenset({"get", "items", "values", "pop", "popitem", "popleft"})


class Uses(NamedTuple):
    """What a program does with a container besides filling it. `statistic` is the function that is all that it is
    handed to, as it is written (`np.mean`), `last` how many of the last items are all that is read."""

    is_read: bool
    is_counted: bool
    statistic: str = ""
    last: int = 0


def is_used(path: str, sources: Mapping[str, Source]) -> bool:
    """Whether a statement hands the holder to a function, goes through it, returns it or takes items from it."""
    name = HolderName.of(path)
    if name is None:
        return False
    return any(
        name.is_written(used)
        for source in sources.values()
        for node, _ in nodes_of(source.tree)
        for used in _used(node)
    )


def uses_of(sources: Mapping[str, Source], path: str) -> Uses | None:
    """None where the container is made at several places or at none, so that its uses are not to be told apart from
    another's of the same name."""
    name, key = HolderName.of(path), _key(path)
    if name is None:
        return None
    made, counted = 0, False
    statistics: list[str] = []
    lasts: list[int] = []
    for source in sources.values():
        parents = {id(child): node for node in ast.walk(source.tree) for child in ast.iter_child_nodes(node)}
        for found in ast.walk(source.tree):
            if not isinstance(found, ast.Name | ast.Attribute) or not name.is_written(found):
                continue
            node = _item_of(found, key, parents)
            if _is_made(found, key, parents):
                made += 1
            elif node is None:
                continue
            elif _is_count(node, parents):
                counted = True
            elif not _is_fill(node, parents) and not _is_returned_to_nobody(node, parents, sources):
                statistics.append(_statistic(node, parents))
                lasts.append(_last(node, parents))
    if made != 1:
        return None
    same = statistics[0] if len(set(statistics)) == 1 else ""
    return Uses(bool(statistics), counted, same, max(lasts) if lasts and all(lasts) else 0)


def _key(path: str) -> object:
    """`images` of `history['images']`; None if the container is not an entry of another."""
    try:
        node = ast.parse(path, mode="eval").body
    except (SyntaxError, ValueError):
        return None
    entry = node.slice if isinstance(node, ast.Subscript) else None
    return entry.value if isinstance(entry, ast.Constant) else None


def _item_of(node: ast.expr, key: object, parents: dict[int, ast.AST]) -> ast.expr | None:
    """The container at a use of what it is an entry of; None where that is about another entry."""
    parent = parents.get(id(node))
    if key is None or not isinstance(parent, ast.Subscript) or not isinstance(parent.slice, ast.Constant):
        return node
    return parent if parent.slice.value == key else None


def _last(node: ast.expr, parents: dict[int, ast.AST]) -> int:
    """How many of the last items a use needs: one for `items[-1]`, five for `items[-5:]`; 0 where that is not said."""
    parent = parents.get(id(node))
    if not isinstance(parent, ast.Subscript) or parent.value is not node:
        return 0
    at = parent.slice.lower if isinstance(parent.slice, ast.Slice) and parent.slice.upper is None else parent.slice
    back = at.operand if isinstance(at, ast.UnaryOp) and isinstance(at.op, ast.USub) else None
    return back.value if isinstance(back, ast.Constant) and isinstance(back.value, int) else 0


def _used(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Call):
        taken = [node.func.value] if isinstance(node.func, ast.Attribute) and node.func.attr in _TAKING else []
        return taken if callee(node) in _NO_USE else [*taken, *node.args, *(word.value for word in node.keywords)]
    if isinstance(node, ast.For | ast.comprehension):
        return [node.iter]
    if isinstance(node, ast.Return | ast.Yield):
        return [node.value] if node.value is not None else []
    if isinstance(node, ast.Starred):
        return [node.value]
    return [node.value] if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) else []


def _is_made(node: ast.Name | ast.Attribute, key: object, parents: dict[int, ast.AST]) -> bool:
    parent = parents.get(id(node))
    if not isinstance(parent, ast.Assign | ast.AnnAssign) or not isinstance(node.ctx, ast.Store):
        return False
    # Entries of a `defaultdict` are made by themselves.
    value = parent.value if key is None or isinstance(parent.value, ast.Call) else part(parent.value, key)
    if isinstance(value, ast.Call):
        return callee(value) in _MAKERS
    return isinstance(value, ast.List | ast.Dict) and not (value.elts if isinstance(value, ast.List) else value.values)


def _is_count(node: ast.expr, parents: dict[int, ast.AST]) -> bool:
    parent = parents.get(id(node))
    return isinstance(parent, ast.Call) and callee(parent) == "len" and node in parent.args


def _is_fill(node: ast.expr, parents: dict[int, ast.AST]) -> bool:
    parent = parents.get(id(node))
    if isinstance(parent, ast.Subscript):
        return isinstance(parent.ctx, ast.Store) and parent.value is node
    outer = parents.get(id(parent))
    filling = isinstance(parent, ast.Attribute) and parent.attr in ("append", "appendleft", "add")
    return filling and isinstance(outer, ast.Call) and isinstance(parents.get(id(outer)), ast.Expr)


def _is_returned_to_nobody(node: ast.expr, parents: dict[int, ast.AST], sources: Mapping[str, Source]) -> bool:
    """`return items` of a function whose result no call uses."""
    parent = parents.get(id(node))
    if not isinstance(parent, ast.Return):
        return False
    function: ast.AST | None = parent
    while function is not None and not isinstance(function, Function):
        function = parents.get(id(function))
    if not isinstance(function, Function):
        return False
    named = [one for _, one in across(sources, (ast.Name, ast.Attribute)) if last_name(one) == function.name]
    alone = [
        one.value.func
        for _, one in across(sources, ast.Expr)
        if isinstance(one.value, ast.Call) and callee(one.value) == function.name
    ]
    return bool(named) and len(named) == len(alone)


def _statistic(node: ast.expr, parents: dict[int, ast.AST]) -> str:
    """The function that takes one number of the container, also of all of it joined; "" where it is used otherwise."""
    parent = parents.get(id(node))
    if isinstance(parent, ast.Call) and callee(parent) in _JOINING and parent.args[:1] == [node]:
        node, parent = parent, parents.get(id(parent))
    if not isinstance(parent, ast.Call) or parent.args != [node] or parent.keywords:
        return ""
    plain = callee(parent).removeprefix(_IN_TENSORFLOW)
    return written(parent.func) if plain in _STATISTICS and isinstance(parent.func, ast.Attribute) else ""
