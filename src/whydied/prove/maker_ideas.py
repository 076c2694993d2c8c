"""The change of a value where it is used, made where the value comes from instead. Pure.

A rule that sees a value refused proposes what the refusing line would take: `np.asarray(x, "float32")` for `x`. Where
the program uses the value, or others that were made likewise, further on, that is not enough or has to be done at each
of them, and what is wrong is the statement that made it. Which of the two it is, a run of the program tells.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import msgspec

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Candidate
from whydied.prove.ideas import Idea, idea_of
from whydied.source.edits.edit import Edit, edited, end_of, start_of, written_in
from whydied.source.origins.trails import Call, Step, Trails
from whydied.source.text import tree_or_empty
from whydied.source.trees import located

MOST = 4
_HOLE = "__value__"
_ARGUMENT = re.compile(rf"[(,]\s*{_HOLE}\s*[,)]")


def at_makers(case: Case, one: Idea) -> Iterator[Idea]:
    """The same at each place that the value came through, the nearest first."""
    files = {edit.file for edit in one.change.edits}
    file = next(iter(files), "")
    sources = case.project
    # Of several uses that are changed alike the first shows how.
    text = edited(sources[file], one.change.edits[:1]) if len(files) == 1 and file in sources else None
    found = _wrapped(sources[file].tree, tree_or_empty(text)) if text is not None else None
    if found is None:
        return
    node, form = found
    raised = case.uncaught
    frames = [frame for frame in raised.chain[0].frames if frame.user] if raised is not None else []
    trails = Trails(sources, [Call(frame.file, frame.line, frame.function) for frame in frames])
    steps = [step for step in _of_value(trails.trail(file, node.lineno, node)) if not (step.place or step.in_loop)]
    # What only passes a value on has not made it.
    made = [step for step in steps if not isinstance(step.value, ast.Name | ast.Attribute)]
    for step in (made or steps[-1:])[:MOST]:
        idea = _made(case, one, step, form)
        if idea is not None:
            yield idea


def _of_value(steps: list[Step]) -> Iterator[Step]:
    """The steps up to the one that takes the value out of what holds others too: what is done to a table is done to all
    of its columns."""
    for step in steps:
        yield step
        if any(isinstance(one.slice, ast.Constant) and isinstance(one.slice.value, str) for one in _taken_from(step)):
            return


def _taken_from(step: Step) -> list[ast.Subscript]:
    return [one for one in ast.walk(step.value) if isinstance(one, ast.Subscript)]


def _made(case: Case, one: Idea, step: Step, form: str) -> Idea | None:
    source, value = case.project[step.file], step.value
    text = written_in(source, value)
    if form.replace(_HOLE, "") in text:
        # It stands there already.
        return None
    stands_alone = _ARGUMENT.search(form) or isinstance(value, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
    inner = text if stands_alone else f"({text})"
    edit = Edit(step.file, start_of(source, value), end_of(source, value), form.replace(_HOLE, inner))
    place = located(case.project, step.file, step.line)
    finding, change = one.candidate.finding, one.change
    words = finding.message.removeprefix(prefix(finding.location))
    return idea_of(
        case,
        Candidate(
            finding=msgspec.structs.replace(finding, location=place, message=f"{prefix(place)}{words}"),
            change=msgspec.structs.replace(
                change, title=f"Write `{edit.text}` where it is made, on line {step.line}", edits=[edit]
            ),
        ),
        guessed=one.guessed,
    )


def _wrapped(before: ast.AST, after: ast.AST) -> tuple[ast.Name | ast.Attribute, str] | None:
    """The name that the two trees differ by, and the expression around it that the second has in its place."""
    pair = _differing(before, after)
    if pair is None:
        return None
    node, now = pair
    if not isinstance(node, ast.Name | ast.Attribute | ast.Subscript) or not isinstance(now, ast.expr):
        return None
    name = ast.unparse(node)
    inside = [one for one in ast.walk(now) if isinstance(one, type(node)) and ast.unparse(one) == name]
    root = _whole(node)
    if len(inside) != 1 or isinstance(now, ast.Name) or root is None:
        return None
    return root, ast.unparse(_Hole(inside[0]).visit(now))


def _whole(node: ast.expr) -> ast.Name | ast.Attribute | None:
    """What rows are taken of (`labels` of `labels[start:stop]`): it is changed as they are. An entry of a dict or one
    of several arrays is not rows."""
    while isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Constant | ast.Tuple | ast.UnaryOp):
        node = node.value
    return node if isinstance(node, ast.Name | ast.Attribute) else None


class _Hole(ast.NodeTransformer):
    """Writes a mark in the place of one node."""

    def __init__(self, node: ast.AST) -> None:
        self._node = node

    def visit(self, node: ast.AST) -> ast.AST:
        return ast.Name(_HOLE) if node is self._node else super().generic_visit(node)


def _differing(before: ast.AST, after: ast.AST) -> tuple[ast.AST, ast.AST] | None:
    """The smallest parts that hold all that differs; None where that is more than one expression."""
    if type(before) is not type(after):
        return before, after
    pairs: list[tuple[object, object]] = []
    for name in before._fields:
        old, new = getattr(before, name, None), getattr(after, name, None)
        if isinstance(old, list) and isinstance(new, list):
            if len(old) != len(new):
                return before, after
            pairs += zip(old, new, strict=True)
        else:
            pairs.append((old, new))
    other = [(old, new) for old, new in pairs if not _is_same(old, new)]
    if len(other) == 1 and isinstance(other[0][0], ast.AST) and isinstance(other[0][1], ast.AST):
        return _differing(other[0][0], other[0][1])
    return (before, after) if other else None


def _is_same(old: object, new: object) -> bool:
    if isinstance(old, ast.AST) and isinstance(new, ast.AST):
        return ast.dump(old) == ast.dump(new)
    return old == new
