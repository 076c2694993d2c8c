"""What a program does with what it gathers in a named holder: reads it, counts it, or only fills it. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from whydied.source.calls import callee
from whydied.source.holder_fills import HolderName
from whydied.source.text import Source
from whydied.source.trees import Function, across, last_name, nodes_of, written

_MAKERS = frozenset({"list", "dict", "set", "deque", "OrderedDict", "defaultdict"})
_JOINING = frozenset({"stack", "concatenate", "concat", "array", "asarray", "vstack", "hstack"})
_STATISTICS = frozenset({"mean", "sum", "max", "min", "amax", "amin"})
_IN_TENSORFLOW = "reduce_"
_NO_USE = frozenset({"len", "print", "id", "type", "isinstance", "getsizeof", "del"})


class Uses(NamedTuple):
    """What a program does with a container besides filling it. `statistic` is the function that is all that it is
    handed to, as it is written (`np.mean`)."""

    is_read: bool
    is_counted: bool
    statistic: str = ""


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
    name = HolderName.of(path)
    if name is None:
        return None
    made, read, counted = 0, [], False
    for source in sources.values():
        parents = {id(child): node for node in ast.walk(source.tree) for child in ast.iter_child_nodes(node)}
        for node in ast.walk(source.tree):
            if not isinstance(node, ast.Name | ast.Attribute) or not name.is_written(node):
                continue
            if _is_made(node, parents):
                made += 1
            elif _is_count(node, parents):
                counted = True
            elif not _is_fill(node, parents) and not _is_returned_to_nobody(node, parents, sources):
                read.append(_statistic(node, parents))
    if made != 1:
        return None
    return Uses(bool(read), counted, read[0] if read and len(set(read)) == 1 else "")


def _used(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Call):
        return [] if callee(node) in _NO_USE else [*node.args, *(word.value for word in node.keywords)]
    if isinstance(node, ast.For | ast.comprehension):
        return [node.iter]
    if isinstance(node, ast.Return):
        return [node.value] if node.value is not None else []
    return [node.value] if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) else []


def _is_made(node: ast.expr, parents: dict[int, ast.AST]) -> bool:
    parent = parents.get(id(node))
    if not isinstance(parent, ast.Assign | ast.AnnAssign) or not isinstance(node.ctx, ast.Store):  # type: ignore[attr-defined]
        return False
    value = parent.value
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
