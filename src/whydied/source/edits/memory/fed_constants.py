"""What a loop adds to a graph because it computes with an array that is new in each turn: built once, above the loop,
with a placeholder for the array, which the session's runs then feed. Pure."""

from __future__ import annotations

import ast

from whydied.source.assignments import stored_names
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.call_edits import add_argument
from whydied.source.edits.edit import Edit, line_before, over, written_in
from whydied.source.edits.import_edits import name_of
from whydied.source.edits.statement_edits import stands_alone, statement_at, without_statement
from whydied.source.statements import loops_in
from whydied.source.text import Source
from whydied.source.trees import holds, walk, within

_V1 = "tensorflow.compat.v1"


def fed_before_loop(source: Source, file: str, line: int) -> list[Edit]:
    """`t = f(a)` of a loop, where the loop makes `a` and only fetches `t`: `a` is fed to a placeholder."""
    node = statement_at(source, line)
    loops = [loop for loop in loops_in(source.tree) if holds(loop, line) and loop.lineno < line]
    tensorflow = name_of(source, "tensorflow")
    if not isinstance(node, ast.Assign) or not loops or tensorflow is None or not stands_alone(source, node):
        return []
    target = node.targets[0]
    loop = max(loops, key=lambda one: one.lineno)
    made = stored_names(loop)
    arrays = [one for one in walk(node.value, ast.Name) if one.id in made]
    if not isinstance(target, ast.Name) or len({one.id for one in arrays}) != 1 or len(node.targets) != 1:
        return []
    array, fed = arrays[0].id, f"{arrays[0].id}_fed"
    runs = [call for call in walk(loop, ast.Call) if callee(call) == "run" and call.args]
    fetching = [call for call in runs if _names(call.args[0], target.id)]
    uses = [one for one in walk(loop, ast.Name) if one.id == target.id and isinstance(one.ctx, ast.Load)]
    fetched = [one for call in fetching for one in walk(call.args[0], ast.Name) if one.id == target.id]
    taken = {one.id for one in walk(source.tree, ast.Name)}
    if not fetching or len(uses) != len(fetched) or fed in taken or _in_function(loop, line):
        return []
    first = source.lines[node.lineno - 1]
    if node.end_lineno != node.lineno or not first.strip():
        return []
    text = _replaced(source, node.value, arrays, fed)
    above = f"{fed} = {_placeholder(source, tensorflow)}\n{' ' * loop.col_offset}{target.id} = {text}"
    edits = [_feeding(source, file, call, fed, array) for call in fetching]
    return [line_before(source, file, loop.lineno, above), without_statement(source, file, node), *edits]


def _placeholder(source: Source, tensorflow: str) -> str:
    old = any(alias.name == _V1 for node in walk(source.tree, ast.Import) for alias in node.names)
    return (
        f"{tensorflow}.placeholder({tensorflow}.float32)"
        if old
        else (f"{tensorflow}.compat.v1.placeholder({tensorflow}.float32)")
    )


def _names(node: ast.AST, name: str) -> bool:
    return any(one.id == name for one in walk(node, ast.Name))


def _in_function(loop: ast.AST, line: int) -> bool:
    """Whether the statement stands in a function that the loop defines."""
    return not any(getattr(one, "lineno", 0) == line for one in within(loop))


def _replaced(source: Source, value: ast.expr, arrays: list[ast.Name], fed: str) -> str:
    text = written_in(source, value)
    for one in sorted(arrays, key=lambda name: -name.col_offset):
        at = one.col_offset - value.col_offset
        text = text[:at] + fed + text[at + len(one.id) :]
    return text


def _feeding(source: Source, file: str, call: ast.Call, fed: str, array: str) -> Edit:
    given = passed_argument(call, "feed_dict") or (call.args[1] if len(call.args) > 1 else None)
    if given is None:
        return add_argument(source, file, call, f"feed_dict={{{fed}: {array}}}")
    return over(source, file, given, f"{{**{written_in(source, given)}, {fed}: {array}}}")
