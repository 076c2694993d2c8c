"""Tensors of a loop in a graph that are kept in a Python list and read behind the loop. Pure.

AutoGraph makes an op of a loop over a tensor: its body is traced once, and what a Python list keeps of it is the tensor
of that trace, which has no value outside of the body.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from whydied.diagnose.finding import Location
from whydied.source.calls import callee, method_calls
from whydied.source.edits.edit import Change, Edit, over, statement, written_in
from whydied.source.edits.shapes.library_names import library_name
from whydied.source.numbers import evaluate
from whydied.source.text import Source
from whydied.source.trees import around, function_at, names_at, nodes_at, tree_of, walk, within, written

Loop = ast.For | ast.While


class Kept(NamedTuple):
    """`item` is appended to `container` on `line`, in `loop`."""

    file: str
    line: int
    loop: Loop
    container: str
    item: ast.expr
    call: ast.Call

    @property
    def header(self) -> str:
        if isinstance(self.loop, ast.For):
            return f"for {written(self.loop.target)} in {written(self.loop.iter)}"
        return f"while {written(self.loop.test)}"


def kept_in_loop(sources: Mapping[str, Source], node: str, made: Location | None, used: Location | None) -> Kept | None:
    """The list of a loop that keeps what the loop made, where the statement that failed reads that list; `node` is the
    tensor's name in the graph."""
    if made is None or used is None or made.file != used.file or "/while/" not in f"/{node}":
        return None
    tree = tree_of(sources, made.file)
    function = function_at(tree, made.line)
    own = list(within(function)) if function is not None else None
    loops: list[Loop] = [*around(tree, made.line, ast.For), *around(tree, made.line, ast.While)]
    read = names_at(sources, used)
    for loop in sorted(loops, key=lambda one: one.lineno):
        if (own is not None and loop not in own) or loop.lineno <= used.line <= (loop.end_lineno or loop.lineno):
            continue
        fills = [
            (owner, call)
            for owner, call in method_calls(ast.walk(loop), ("append",))
            if isinstance(owner, ast.Name) and owner.id in read and len(call.args) == 1
        ]
        if len(fills) == 1:
            owner, call = fills[0]
            return Kept(made.file, call.lineno, loop, written(owner), call.args[0], call)
    return None


def is_carried(loop: Loop) -> bool:
    """Whether a turn of the loop reads what the turn before it assigned: then its turns are not independent."""
    known: set[str] = set()
    made = {written(node) for node in ast.walk(loop) if isinstance(getattr(node, "ctx", None), ast.Store)}
    made -= {written(node) for node in ast.walk(loop.target)} if isinstance(loop, ast.For) else set()
    for one in loop.body:
        parts = [node for node in ast.walk(one) if isinstance(node, ast.Name | ast.Attribute | ast.Subscript)]
        read = {written(node) for node in parts if isinstance(node.ctx, ast.Load)}
        read |= {written(node.target) for node in ast.walk(one) if isinstance(node, ast.AugAssign)}
        if read & made - known:
            return True
        known |= {written(node) for node in parts if isinstance(node.ctx, ast.Store)}
    return False


def reading(sources: Mapping[str, Source], kept: Kept, used: Location, rank: int | None) -> tuple[ast.Call, str] | None:
    """The call behind the loop that joins the list, and what gives the same of a TensorArray, whose `stack` always puts
    the turns first; `rank` is the number of axes of one item."""
    uses = [
        one
        for one in nodes_at(sources, used)
        if isinstance(one, ast.Call)
        and callee(one) in ("stack", "concat")
        and [written(arg) for arg in one.args[:1]] == [kept.container]
    ]
    if len(uses) != 1 or len(uses[0].args) > 2 or any(word.arg != "axis" for word in uses[0].keywords):
        return None
    given = [*uses[0].args[1:], *(word.value for word in uses[0].keywords)]
    axis = evaluate(given[0], {}) if given else 0
    if axis is None:
        return None
    if callee(uses[0]) == "concat":
        return (uses[0], f"{kept.container}.concat()") if axis == 0 else None
    if axis and rank is None:
        return None
    code, at = f"{kept.container}.stack()", int(axis) % ((rank or 0) + 1)
    if at == 0:
        return uses[0], code
    order = [*range(1, at + 1), 0, *range(at + 1, (rank or 0) + 1)]
    return uses[0], f"tf.transpose({code})" if rank == 1 else f"tf.transpose({code}, {order})"


def as_python_loop(sources: Mapping[str, Source], kept: Kept) -> list[Change]:
    """The loop over the rows of a tensor as one of Python: its turns are then traced one by one."""
    loop, source = kept.loop, sources[kept.file]
    over_rows = isinstance(loop, ast.For) and isinstance(loop.iter, ast.Name | ast.Attribute | ast.Subscript)
    if not over_rows or not isinstance(loop, ast.For):
        return []
    name = library_name(source, kept.file, "tensorflow.unstack")
    text = f"{name.text}({written_in(source, loop.iter)})"
    edits = [*name.needed, over(source, kept.file, loop.iter, text)]
    return [Change(title=f"Write `for {written(loop.target)} in {text}`", kind="expression", edits=edits)]


def as_array(sources: Mapping[str, Source], kept: Kept, used: Location, dtype: str, rank: int | None) -> list[Change]:
    """The list as a TensorArray: where it is made, filled and stacked, each just once."""
    source = sources[kept.file]
    scope = function_at(source.tree, kept.line) or source.tree
    made = [
        one
        for one in within(scope)
        if isinstance(one, ast.Assign) and [written(target) for target in one.targets] == [kept.container]
    ]
    empty = len(made) == 1 and isinstance(made[0].value, ast.List) and not made[0].value.elts
    read = reading(sources, kept, used, rank)
    reads = [one for one in walk(scope, ast.Name) if one.id == kept.container and isinstance(one.ctx, ast.Load)]
    if not empty or read is None or len(reads) != 2:
        return []
    name = kept.container
    write = f"{name} = {name}.write({name}.size(), {written_in(source, kept.item)})"
    edits: list[Edit] = [
        over(source, kept.file, made[0].value, f"tf.TensorArray(tf.{dtype}, size=0, dynamic_size=True)"),
        statement(source, kept.file, kept.line, write),
        over(source, kept.file, read[0], read[1]),
    ]
    return [Change(title=f"Keep `{name}` in a `tf.TensorArray`", kind="expression", edits=edits)]
