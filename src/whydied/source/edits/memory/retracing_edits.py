"""Edits of functions that are traced too often: for any shape, for one object, or not at all. Pure."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from whydied.source.assignments import stored_names
from whydied.source.calls import bound_arguments, callee
from whydied.source.edits.call_edits import add_argument, calls_at
from whydied.source.edits.edit import Edit, line_before, over, written_in
from whydied.source.edits.import_edits import name_of
from whydied.source.edits.statement_edits import move_above, stands_alone, statement_at
from whydied.source.statements import loops_in
from whydied.source.text import Source
from whydied.source.trees import Function, around, holds, last_name, walk, written

_TRACING = "function"
_GENERAL = ("reduce_retracing", "experimental_relax_shapes", "input_signature")


def for_any_shape(source: Source, file: str, function: Function) -> list[Edit]:
    """`@tf.function(reduce_retracing=True)`: one trace for all sizes of a dimension that varies."""
    for one in _tracing(source, function):
        if not isinstance(one, ast.Call):
            return [over(source, file, one, f"{written_in(source, one)}(reduce_retracing=True)")]
        if not any(word.arg in _GENERAL for word in one.keywords):
            function_given = bool(one.args) and not isinstance(one.args[0], ast.Constant)
            return [add_argument(source, file, one, "reduce_retracing=True")] if function_given or not one.args else []
    return []


def not_traced(source: Source, file: str, function: Function) -> list[Edit]:
    """The function without its `tf.function`: the decorator taken out, or the function itself where `tf.function(f)`
    stands."""
    edits = []
    for one in _tracing(source, function):
        if one in function.decorator_list:
            edits.append(Edit(file, (one.lineno, 0), ((one.end_lineno or one.lineno) + 1, 0), ""))
        elif isinstance(one, ast.Call):
            edits.append(over(source, file, one, function.name if not one.args else written_in(source, one.args[0])))
    return edits


def made_once(source: Source, file: str, function: Function) -> list[Edit]:
    """A traced function that is made anew in each turn of a loop made once, above it: its definition moved there, or
    the call of the function that makes it."""
    loops = loops_in(source.tree)
    around_it = [loop for loop in loops if holds(loop, function.lineno)]
    if around_it:
        return _moved(source, file, function, around_it)
    maker = next(
        (one for one in reversed(around(source.tree, function.lineno, ast.stmt)) if _makes(one, function)), None
    )
    calls = [
        (call, inside)
        for call in walk(source.tree, ast.Call)
        if maker is not None and callee(call) == getattr(maker, "name", "")
        if (inside := [loop for loop in loops if holds(loop, call.lineno) and loop.lineno < call.lineno])
    ]
    if len(calls) != 1:
        return []
    call, inside = calls[0]
    statement = statement_at(source, call.lineno)
    if isinstance(statement, ast.Assign) and statement.value is call:
        own = stored_names(statement)
        if any({node.id for node in walk(call, ast.Name)} & (stored_names(loop) - own) for loop in inside[-1:]):
            return []
        return move_above(source, file, statement, inside[-1].lineno) if stands_alone(source, statement) else []
    free = [loop for loop in inside if not {node.id for node in walk(call, ast.Name)} & stored_names(loop)]
    known = {node.id for node in walk(source.tree, ast.Name)}
    name = next((one for one in (function.name, f"{function.name}_once") if one not in known), "")
    if not free or not name:
        return []
    outermost = min(free, key=lambda loop: loop.lineno)
    above = line_before(source, file, outermost.lineno, f"{name} = {written_in(source, call)}")
    return [above, over(source, file, call, name)]


def _makes(node: ast.stmt, function: Function) -> bool:
    return isinstance(node, Function) and node is not function


def _moved(source: Source, file: str, function: Function, loops: Sequence[ast.stmt]) -> list[Edit]:
    own = {node.id for node in walk(function, ast.Name) if isinstance(node.ctx, ast.Store)}
    own |= {node.arg for node in walk(function, ast.arg)}
    needs = {node.id for node in walk(function, ast.Name)} - own
    free = [loop for loop in loops if not needs & stored_names(loop)]
    if not free:
        return []
    first = min([function.lineno, *(one.lineno for one in function.decorator_list)])
    last = function.end_lineno or function.lineno
    outermost = min(free, key=lambda loop: loop.lineno)
    indent, had = " " * outermost.col_offset, " " * function.col_offset
    text = "".join(
        f"{indent}{one.removeprefix(had)}\n" if one.strip() else "\n" for one in source.lines[first - 1 : last]
    )
    return [
        Edit(file, (outermost.lineno, 0), (outermost.lineno, 0), f"{text}\n"),
        Edit(file, (first, 0), (last + 1, 0), ""),
    ]


def as_array(source: Source, file: str, line: int, function: Function, parameter: str) -> list[Edit]:
    """A Python list that the only call of a function in a statement gives for a parameter, as a tensor."""
    given = _given(source, line, function, parameter)
    tensorflow = name_of(source, "tensorflow")
    if given is None or tensorflow is None:
        return []
    return [over(source, file, given, f"{tensorflow}.constant({written_in(source, given)})")]


def made_before_loop(source: Source, file: str, line: int, function: Function, parameter: str) -> list[Edit]:
    """The object that a call in a loop makes for a parameter made once, above the loops in which nothing of it
    changes. A method of an object, and a function without a name, are new ones wherever they are written."""
    given = _given(source, line, function, parameter)
    loops = [loop for loop in loops_in(source.tree) if holds(loop, line) and loop.lineno < line]
    if not isinstance(given, ast.Call | ast.Attribute | ast.Lambda) or not loops:
        return []
    needs = {node.id for node in walk(given, ast.Name)}
    free = [loop for loop in loops if not needs & stored_names(loop)]
    functions = around(source.tree, line, ast.stmt)
    inner = max((one.lineno for one in functions if isinstance(one, Function)), default=0)
    free = [loop for loop in free if loop.lineno > inner]
    known = {node.id for node in walk(source.tree, ast.Name)} | {node.arg for node in walk(source.tree, ast.arg)}
    name = next(one for one in (parameter, f"one_{parameter}", f"the_{parameter}_") if one not in known - {parameter})
    if not free or name in {node.id for node in walk(source.tree, ast.Name) if isinstance(node.ctx, ast.Store)}:
        return []
    outermost = min(free, key=lambda loop: loop.lineno)
    above = line_before(source, file, outermost.lineno, f"{name} = {written_in(source, given)}")
    return [above, over(source, file, given, name)]


def _given(source: Source, line: int, function: Function, parameter: str) -> ast.expr | None:
    calls = calls_at(source, line, function.name)
    return bound_arguments(calls[0], function).get(parameter) if len(calls) == 1 else None


def _tracing(source: Source, function: Function) -> list[ast.expr]:
    """The decorators that trace a function, and the calls that make a traced one of it."""
    decorators = [one for one in function.decorator_list if _is_tracing(one)]
    calls = [
        call
        for call in walk(source.tree, ast.Call)
        if callee(call) == _TRACING and call.args and last_name(call.args[0]) == function.name
    ]
    return [*decorators, *calls]


def _is_tracing(node: ast.expr) -> bool:
    text = written(node.func if isinstance(node, ast.Call) else node)
    return text.rpartition(".")[2] == _TRACING
