"""A loop inside of a `tf.function`, and the function of the program's that each turn calls. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from whydied.source.calls import callee
from whydied.source.edits.edit import Edit, line_before, written_in
from whydied.source.text import Source
from whydied.source.trees import Function, across, walk, within, written

_TRACES = ("tf.function", "function")


class TracedLoop(NamedTuple):
    """`line` is that of the decorator, `loop_line` that of the innermost loop; `step` is the only function of the
    program's that a turn calls, where it has no decorator, and `called` how the loop writes that."""

    file: str
    line: int
    loop_line: int
    name: str
    step: Function | None
    called: str


def traced_loop(sources: Mapping[str, Source], name: str) -> TracedLoop | None:
    """The only function of a name that is decorated as a `tf.function` and has a loop."""
    found = [
        (file, one, decorator)
        for file, one in across(sources, ast.FunctionDef)
        if one.name == name
        for decorator in one.decorator_list
        if _traces(decorator)
    ]
    if len(found) != 1:
        return None
    file, function, decorator = found[0]
    loops = [node for node in within(function) if isinstance(node, ast.For | ast.While)]
    if not loops:
        return None
    inner = max(loops, key=lambda loop: loop.lineno)
    step, called = _step(sources, file, inner)
    return TracedLoop(file, decorator.lineno, inner.lineno, name, step, called)


def moved_decorator(sources: Mapping[str, Source], found: TracedLoop) -> list[Edit]:
    """The decorator above the step instead of above the loop; empty where there is no such step."""
    source = sources[found.file]
    if found.step is None:
        return []
    decorator = next(
        one
        for function in walk(source.tree, ast.FunctionDef)
        for one in function.decorator_list
        if one.lineno == found.line and _traces(one)
    )
    text = f"@{written_in(source, decorator)}"
    taken = Edit(found.file, (found.line, 0), (found.line + 1, 0), "")
    return [line_before(source, found.file, found.step.lineno, text), taken]


def _traces(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return written(called).endswith(_TRACES)


def _step(sources: Mapping[str, Source], file: str, loop: ast.For | ast.While) -> tuple[Function | None, str]:
    defined = {one.name: one for one in walk(sources[file].tree, ast.FunctionDef)}
    calls = [one for one in walk(loop, ast.Call) if callee(one) in defined]
    names = {callee(one) for one in calls}
    if len(names) != 1:
        return None, ""
    step = defined[names.pop()]
    return (step if not step.decorator_list else None), written(calls[0].func)
