"""Edits of blocks: something done at the end of the loop or function around a line, or once before a loop;
a session in a `with`. Pure."""

from __future__ import annotations

import ast

from whydied.source.assignments import stored_names
from whydied.source.calls import callee, method_calls
from whydied.source.edits.edit import Edit, end_of, line_before, over, start_of, written_in
from whydied.source.edits.shapes.library_names import bound_names
from whydied.source.edits.statement_edits import lines_of, stands_alone, without_statement
from whydied.source.statements import loops_in
from whydied.source.text import Source
from whydied.source.trees import Function, around, dotted_name, holds, walk, within

_RUNS = ("run", "eval", "restore", "save")
_LEAVING = (ast.Return, ast.Continue, ast.Break, ast.Raise)


def at_end_of_block(source: Source, file: str, line: int, text: str) -> Edit | None:
    """A statement behind the last one of the innermost loop or function around a line, where nothing leaves it
    earlier."""
    blocks: list[ast.stmt] = [*around(source.tree, line, ast.stmt)]
    inner = [one for one in blocks if isinstance(one, ast.For | ast.While | Function) and one.lineno < line]
    if not inner:
        return None
    body: list[ast.stmt] = inner[-1].body
    own = [node for one in body for node in [one, *within(one)] if isinstance(node, _LEAVING)]
    if own or not any(one.lineno <= line <= (one.end_lineno or 0) for one in body):
        return None
    last = end_of(source, body[-1])
    end = (last[0], len(source.lines[last[0] - 1]))
    return Edit(file, end, end, f"\n{' ' * start_of(source, body[0])[1]}{text}")


def fetched_before_loop(source: Source, file: str, functions: set[str]) -> list[Edit]:
    """What a session is asked for in a loop, `sess.run(layer(x), …)`, made once above it where one of these functions
    makes it of nothing that changes in the loop. None where there are several."""
    found = []
    for loop in loops_in(source.tree):
        changing = {name for part in [getattr(loop, "target", None), *loop.body] if part for name in stored_names(part)}
        for _, call in method_calls(ast.walk(loop), ("run",)):
            asked = call.args[0] if call.args else None
            if isinstance(asked, ast.Call) and callee(asked) in functions:
                used = {node.id for node in walk(asked, ast.Name)}
                found += [(loop, asked)] if not used & changing else []
    inner = max(found, key=lambda pair: pair[0].lineno, default=None)
    if inner is None or len({id(asked) for _, asked in found}) != 1:
        return []
    # Above the outermost loop in which nothing of it changes.
    loop, asked = min(found, key=lambda pair: pair[0].lineno)
    known = {node.id for node in walk(source.tree, ast.Name)}
    name = next(one for one in (callee(asked), f"{callee(asked)}_op", f"{callee(asked)}_fetch") if one not in known)
    made = line_before(source, file, loop.lineno, f"{name} = {written_in(source, asked)}")
    return [made, over(source, file, asked, name)]


def before_loop(source: Source, file: str, line: int) -> list[Edit]:
    """The first statements of the loop around a line up to those that need something of the loop's own, moved above it.
    The line must be among them, and they must be assignments."""
    loops = [loop for loop in loops_in(source.tree) if holds(loop, line) and loop.lineno < line]
    if not loops:
        return []
    loop = max(loops, key=lambda one: one.lineno)
    changing = {name for part in [getattr(loop, "target", None), *loop.body] if part for name in stored_names(part)}
    moved: list[ast.stmt] = []
    free: set[str] = set()
    for one in loop.body:
        used = {node.id for node in walk(one, ast.Name) if isinstance(node.ctx, ast.Load)}
        if not isinstance(one, ast.Assign) or used & (changing - free):
            break
        moved.append(one)
        free |= stored_names(one)
    if not any(one.lineno <= line <= (one.end_lineno or 0) for one in moved) or len(moved) == len(loop.body):
        return []
    first, last = moved[0].lineno, moved[-1].end_lineno or moved[-1].lineno
    indent = " " * start_of(source, loop)[1]
    own = " " * start_of(source, moved[0])[1]
    text = "".join(f"{indent}{line.removeprefix(own)}\n" for line in source.lines[first - 1 : last])
    return [
        Edit(file, (loop.lineno, 0), (loop.lineno, 0), text),
        Edit(file, (first, 0), (last + 1, 0), ""),
    ]


def outlived_by_session(source: Source, line: int) -> bool:
    """Whether the loop around a line runs a session that was opened before it."""
    loop = _loop_around(source, line)
    if loop is None:
        return False
    calls = [node for one in loop.body for node in walk(one, ast.Call)]
    runs = any(isinstance(call.func, ast.Attribute) and call.func.attr == "run" for call in calls)
    return runs and not any(callee(call) in ("Session", "InteractiveSession") for call in calls)


def built_before_loop(source: Source, file: str, line: int) -> list[Edit]:
    """The assignment at a line of a loop, with those of the loop that it needs and those that are made of it, moved
    above the loop. Nothing where it needs something that changes in the loop, or runs a session."""
    loop = _loop_around(source, line)
    if loop is None:
        return []
    changing = {name for part in [getattr(loop, "target", None), *loop.body] if part for name in stored_names(part)}
    own = [name for one in loop.body for name in stored_names(one)]
    plain = [one for one in loop.body if isinstance(one, ast.Assign) and not _runs(one) and stands_alone(source, one)]
    first = next((one for one in plain if holds(one, line)), None)
    if first is None:
        return []
    moved = [first]
    for one in reversed(plain[: plain.index(first)]):
        if _of_library(source, one) and stored_names(one) & {name for other in moved for name in _read(other)}:
            moved.insert(0, one)
    made = {name for one in moved for name in stored_names(one)}
    for one in plain[plain.index(first) + 1 :]:
        if _of_library(source, one) and _read(one) & made and not _read(one) & (changing - made):
            moved.append(one)
            made |= stored_names(one)
    needed = {name for one in moved for name in _read(one)}
    if needed & (changing - made) or any(own.count(name) != 1 for name in made):
        return []
    indent, left = " " * start_of(source, loop)[1], len(moved) == len(loop.body)
    text = "".join(f"{indent}{line}\n" for one in moved for line in lines_of(source, one))
    return (
        []
        if left
        else [
            Edit(file, (loop.lineno, 0), (loop.lineno, 0), text),
            *(without_statement(source, file, one) for one in moved),
        ]
    )


def _loop_around(source: Source, line: int) -> ast.For | ast.AsyncFor | ast.While | None:
    loops = [loop for loop in loops_in(source.tree) if holds(loop, line) and loop.lineno < line]
    return max(loops, key=lambda one: one.lineno, default=None)


def _of_library(source: Source, node: ast.AST) -> bool:
    """Whether all that a statement calls is of TensorFlow or Keras: others may give something else in each pass."""
    bound = bound_names(source.tree)
    roots = [(dotted_name(one.func) or "").partition(".")[0] for one in walk(node, ast.Call)]
    return all(bound.get(root, "").partition(".")[0] in ("tensorflow", "keras", "tf_keras") for root in roots)


def _read(node: ast.AST) -> set[str]:
    return {one.id for one in walk(node, ast.Name) if isinstance(one.ctx, ast.Load)}


def _runs(node: ast.AST) -> bool:
    return any(isinstance(one.func, ast.Attribute) and one.func.attr in _RUNS for one in walk(node, ast.Call))
