"""Edits of graphs that hold too much: arrays read when the graph runs, variables set instead of made anew, sessions of
objects closed. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from whydied.source.calls import callee
from whydied.source.edits.edit import Edit, line_before, over, statement, written_in
from whydied.source.edits.import_edits import name_of
from whydied.source.edits.runs.block_edits import at_end_of_block
from whydied.source.edits.statement_edits import stands_alone, statement_at
from whydied.source.statements import in_loop_body, loops_in
from whydied.source.text import Source
from whydied.source.trees import across, around, holds, nodes_on, written

_CONSTANTS = frozenset({"constant", "convert_to_tensor"})


def read_when_run(source: Source, file: str, line: int, array: str, dtype: str) -> list[Edit]:
    """An array that a statement puts into a graph, given by a function that the graph calls when it runs: the graph has
    no copy of it."""
    tensorflow = name_of(source, "tensorflow")
    found = [
        node
        for node in nodes_on(source, line)
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load) and written(node) == array
    ]
    if tensorflow is None or len(found) != 1:
        return []
    whole: ast.expr = found[0]
    for call in nodes_on(source, line):
        if isinstance(call, ast.Call) and callee(call) in _CONSTANTS and call.args[:1] == found and not call.keywords:
            whole = call if len(call.args) == 1 else whole
    read = f"{tensorflow}.numpy_function(lambda: {array}, [], {tensorflow}.{dtype})"
    return [over(source, file, whole, f"{tensorflow}.ensure_shape({read}, {array}.shape)")]


def set_instead(source: Source, file: str, line: int) -> list[Edit]:
    """`v = tf.Variable(x)` of a loop made in its first turn, and set by `assign` in the others."""
    node = statement_at(source, line)
    loops = [loop for loop in loops_in(source.tree) if holds(loop, line) and loop.lineno < line]
    if (
        not isinstance(node, ast.Assign)
        or not loops
        or not stands_alone(source, node)
        or node.end_lineno != node.lineno
    ):
        return []
    made, target = node.value, node.targets[0]
    if not isinstance(made, ast.Call) or callee(made) != "Variable" or not made.args or len(node.targets) != 1:
        return []
    if not isinstance(target, ast.Name):
        return []
    value = written_in(source, made.args[0])
    text = f"if {target.id} is None:\n    {written_in(source, node)}\nelse:\n    {target.id}.assign({value})"
    outermost = min(loops, key=lambda loop: loop.lineno)
    return [
        line_before(source, file, outermost.lineno, f"{target.id} = None"),
        statement(source, file, line, text),
    ]


def closed_after_use(sources: Mapping[str, Source], file: str, line: int) -> list[Edit]:
    """The session that a class opens for each of its objects closed at the end of the turn that made the object."""
    source = sources.get(file)
    node = statement_at(source, line) if source is not None else None
    owners = around(source.tree, line, ast.ClassDef) if source is not None else []
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    if not owners or not isinstance(target, ast.Attribute):
        return []
    made = [
        (where, one)
        for where, one in across(sources, ast.Assign)
        if isinstance(one.value, ast.Call) and callee(one.value) == owners[-1].name
        if in_loop_body(sources[where].tree, one.lineno)
    ]
    if len(made) != 1:
        return []
    where, one = made[0]
    text = f"{written_in(sources[where], one.targets[0])}.{target.attr}.close()"
    edit = at_end_of_block(sources[where], where, one.lineno, text)
    return [edit] if edit is not None else []
