"""Edits that bound a container: a list that keeps all as a `deque`, a queue and a cache with a size. Pure.

A list is bounded only where the program does nothing with it that needs all of it: it is filled, counted, or asked for
its last.
"""

from __future__ import annotations

import ast

from whydied.source.calls import callee, passed_argument
from whydied.source.edits.call_edits import add_argument, set_argument
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.import_edits import imported
from whydied.source.text import Source
from whydied.source.trees import walk

_FILLING = frozenset({"append", "appendleft", "clear", "popleft"})
_QUEUES = frozenset({"Queue", "LifoQueue", "SimpleQueue", "PriorityQueue"})


def bounded(source: Source, file: str, name: str, most: int) -> list[Edit]:
    """A list or a queue that is made empty at one place, with room for so many; a deque that has a bound with a lower
    one."""
    last = name.rpartition(".")[2]
    made = [
        node
        for node in walk(source.tree, ast.Assign)
        if len(node.targets) == 1
        and _is_holder(node.targets[0], last)
        and not isinstance(node.targets[0], ast.Subscript)
    ]
    if len(made) != 1:
        return []
    value = made[0].value
    if isinstance(value, ast.Call) and callee(value) in _QUEUES - {"SimpleQueue"} and not value.args:
        return [add_argument(source, file, value, f"maxsize={most}")] if not value.keywords else []
    if isinstance(value, ast.Call) and callee(value) == "deque":
        edit = set_argument(source, file, value, "maxlen", 1, str(most))
        return [edit] if edit is not None else []
    empty = isinstance(value, ast.List) and not value.elts
    if not empty or not _needs_last_only(source.tree, last, made[0].targets[0]):
        return []
    needed = imported(source, file, "collections")
    return [*needed, over(source, file, value, f"collections.deque(maxlen={most})")]


def waits(edits: list[Edit]) -> bool:
    """Whether it is a queue that was bounded: whoever fills it then waits, and nothing is lost."""
    return any("maxsize=" in edit.text for edit in edits)


def bounded_cache(source: Source, file: str, function: str, most: int) -> list[Edit]:
    """A cache of a function without a bound, with one."""
    for node in walk(source.tree, ast.FunctionDef):
        for one in node.decorator_list if node.name == function.rpartition(".")[2] else []:
            call = one if isinstance(one, ast.Call) else None
            name = callee(call) if call is not None else written_in(source, one).rpartition(".")[2]
            if call is not None and name == "lru_cache" and passed_argument(call, "maxsize"):
                edit = set_argument(source, file, call, "maxsize", 0, str(most))
                return [edit] if edit is not None else []
            if call is None and name == "cache" and isinstance(one, ast.Attribute):
                module = written_in(source, one.value)
                return [over(source, file, one, f"{module}.lru_cache(maxsize={most})")]
    return []


def _is_holder(node: ast.AST, last: str) -> bool:
    return (isinstance(node, ast.Attribute) and node.attr == last) or (isinstance(node, ast.Name) and node.id == last)


def _needs_last_only(tree: ast.Module, last: str, made: ast.expr) -> bool:
    """Whether each use of a list is one that a bounded `deque` allows, and one of them adds to it."""
    parents = {id(child): node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    uses = [node for node in ast.walk(tree) if _is_holder(node, last) and node is not made]
    return all(_is_plain_use(use, parents) for use in uses) and any(_fills(use, parents) for use in uses)


def _fills(use: ast.AST, parents: dict[int, ast.AST]) -> bool:
    parent = parents.get(id(use))
    return isinstance(parent, ast.Attribute) and parent.attr == "append"


def _is_plain_use(use: ast.AST, parents: dict[int, ast.AST]) -> bool:
    parent = parents.get(id(use))
    if isinstance(parent, ast.Attribute):
        return parent.attr in _FILLING
    if isinstance(parent, ast.Call):
        return callee(parent) in ("len", "bool") and use in parent.args
    if isinstance(parent, ast.Subscript):
        return isinstance(parent.slice, ast.UnaryOp) and isinstance(parent.slice.operand, ast.Constant)
    return isinstance(parent, ast.If | ast.While)
