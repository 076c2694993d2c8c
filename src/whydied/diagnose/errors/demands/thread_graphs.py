"""A tensor that a worker thread made in its own default graph, and a session that was to run it. Pure.

Keras draws from a Python generator in a thread of its own. What the generator makes at its first `next` goes to the
default graph of that thread, which is a new one. Ops made in each turn, even in the right graph, can abort the process
when it ends in the midst of one, as an `as_default()` around a `yield` does: what is made must stand before the loop.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.demands.mixed_graphs import entered
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.errors.quotation import Quotation
from whydied.diagnose.errors.session_error import created, made_at
from whydied.diagnose.finding import Culprit, Finding, Location
from whydied.records import GraphNode, SessionFacts
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, Edit
from whydied.source.text import Source
from whydied.source.trees import Function, function_at, walk, within, written

_ITERATORS = ("make_one_shot_iterator", "make_initializable_iterator")
_LOOPS = (ast.While, ast.For)


class _Loop(NamedTuple):
    """The loop of a generator, the statement in it that makes the tensor, and what stands before it."""

    function: Function
    node: ast.While | ast.For
    making: ast.stmt
    before: list[ast.stmt]


def made_in_thread(case: Case, said: Quotation, facts: SessionFacts, node: GraphNode) -> Finding | None:
    place = made_at(case, node)
    source = case.sources.get(place.file) if place is not None else None
    function = function_at(source.tree, place.line) if place is not None and source is not None else None
    if place is None or source is None or function is None:
        return None
    session = facts.session or "the session"
    header = f"with {session}.graph.as_default():" if facts.session else ""
    yields = any(isinstance(one, ast.Yield | ast.YieldFrom) for one in within(function))
    loop = _loop(source, function, place.line) if yields else None
    name = _target(source, place.line) or node.name
    runs = f"{'the generator ' if yields else ''}`{place.function}`, which runs"
    opened = case.locate(facts.opened) if facts.opened is not None else None
    where = f", opened on {line_words(opened)}," if opened is not None else ""
    return Finding(
        message=f"{prefix(place)}`{name}` is made by {runs} in a worker thread with a default graph of its own; "
        f"`{session}`{where} runs another graph; expected both in the same graph",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="tensor", name=name),
        evidence=[*evidence_of(said.link, said.raised), *created(case, node, f"`{name}`")],
        advice=_advice(header, place, function, loop, yields),
        changes=_changes(case, source, place, loop, header, yields),
    )


def _advice(header: str, place: Location, function: Function, loop: _Loop | None, yields: bool) -> list[str]:
    told = []
    if header and loop is not None:
        lines = f"lines {loop.before[0].lineno} to {loop.before[-1].end_lineno}"
        told.append(
            f"Make it once, before the loop, in the graph of the session: `{header}` around {lines} with "
            f"`{written(loop.making)}` as its last line. The loop then only runs it."
        )
    elif yields:
        told.append(
            f"Make it once, before the generator starts: from a placeholder outside of `{function.name}`, which then "
            "only runs it with a feed. Made in each turn of a loop it would let the graph grow, too."
        )
    elif header:
        told.append(f"Put `{header}` around {line_words(place)} and whatever else `{function.name}` makes.")
    else:
        told.append(f"Make it before the thread starts, outside of `{function.name}`, and only run it there.")
    data = _data(function)
    if data:
        told.append(f"Or without a generator: `return {data}` in `{function.name}`, and give that Dataset to `fit`.")
    return [" ".join(told)]


def _data(function: Function) -> str:
    """The data set that an iterator is made of."""
    for call in walk(function, ast.Call):
        if callee(call) in _ITERATORS:
            owner = call.args[0] if call.args else call.func.value if isinstance(call.func, ast.Attribute) else None
            if isinstance(owner, ast.Name):
                return owner.id
    return ""


def _target(source: Source, line: int) -> str:
    for node in walk(source.tree, ast.Assign):
        if node.lineno <= line <= (node.end_lineno or node.lineno) and len(node.targets) == 1:
            return written(node.targets[0])
    return ""


def _loop(source: Source, function: Function, line: int) -> _Loop | None:
    """The loop at the end of a generator whose first statement makes the tensor from nothing that changes in it."""
    last = function.body[-1]
    if not isinstance(last, _LOOPS) or len(function.body) < 2 or not isinstance(last.body[0], ast.Assign):
        return None
    making = last.body[0]
    changing = {name.id for name in walk(last, ast.Name) if isinstance(name.ctx, ast.Store)}
    reads = {name.id for name in walk(making.value, ast.Name)}
    if not making.lineno <= line <= (making.end_lineno or line) or reads & changing or len(last.body) < 2:
        return None
    before = function.body[:-1]
    if isinstance(before[0], ast.Expr) and isinstance(before[0].value, ast.Constant):
        before = before[1:]
    return _Loop(function, last, making, before) if before else None


def _changes(
    case: Case, source: Source, place: Location, loop: _Loop | None, header: str, yields: bool
) -> list[Change]:
    if not header:
        return []
    if not yields:
        return entered(case, place, header)
    edit = _before_loop(source, place.file, loop, header) if loop is not None else None
    return [Change(title=f"Make it once in `{header[:-1]}`", kind="statement", edits=[edit])] if edit else []


def _before_loop(source: Source, file: str, loop: _Loop, header: str) -> Edit | None:
    first, last = loop.before[0], loop.making
    lines = source.lines
    pad = lines[first.lineno - 1][: first.col_offset]
    if pad.strip() or last.lineno != last.end_lineno or loop.node.lineno + 1 != last.lineno:
        return None
    inner = [f"    {line}" if line.strip() else line for line in lines[first.lineno - 1 : loop.node.lineno - 1]]
    text = [f"{pad}{header}", *inner, f"{pad}    {lines[last.lineno - 1].strip()}", lines[loop.node.lineno - 1]]
    return Edit(file, (first.lineno, 0), (last.lineno, len(lines[last.lineno - 1])), "\n".join(text))
