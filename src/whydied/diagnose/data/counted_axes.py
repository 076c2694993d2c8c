"""The numbers along an axis of a figure that were counted for data of another length: `range(1, EPOCHS + 1)` beside the
losses of a training that stopped earlier. Pure.

Invariant: only what counts one by one, or divides an interval, is written anew; it begins where it began.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from whydied.diagnose.data.failing_data import Failing
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, over
from whydied.source.trees import scope_at, walk, within, written

DRAWING = frozenset(
    {
        *("plot", "scatter", "bar", "barh", "step", "stem", "semilogx", "semilogy", "loglog", "errorbar"),
        *("fill_between", "lineplot", "scatterplot"),
    }
)
_COUNTING = frozenset({"range", "arange"})
_FORMS = frozenset({"list", "tuple", "array", "asarray"})


class CountedAxis(NamedTuple):
    """What counts too far or not far enough, where it stands, and what it would have to be."""

    file: str
    line: int
    made: ast.expr
    right: str
    changes: list[Change]


def counted_axis(found: Failing, call: ast.Call) -> CountedAxis | None:
    """Of a call that draws its second argument over its first, which have different lengths."""
    node, other = call.args[:2]
    file, line, made = found.place.file, found.place.line, node
    if isinstance(node, ast.Name):
        steps = found.trails.trail(file, line, node)
        if not steps or steps[0].in_loop or steps[0].place or steps[0].is_passed:
            return None
        file, line, made = steps[0].file, steps[0].line, steps[0].value
    right = _counting(made, written(other))
    if right is None:
        return None
    changes = []
    if isinstance(node, ast.Name) and found.is_editable(file) and _sees(found, file, line, other):
        edits = [over(found.sources[file], file, made, right)]
        changes.append(Change(title=f"Write `{right}`", kind="expression", edits=edits))
    at_calls = _at_calls(found, node, made, right)
    if at_calls is not None and (not changes or len(at_calls.edits) > 1):
        changes.append(at_calls)
    return CountedAxis(file, line, made, right, changes)


def _counting(made: ast.expr, other: str) -> str | None:
    """The same count for as many numbers as something has; None for what is not a count."""
    if not isinstance(made, ast.Call) or made.keywords or not made.args:
        return None
    name, function = callee(made), written(made.func)
    if name in _FORMS and len(made.args) == 1:
        inner = _counting(made.args[0], other)
        return f"{function}({inner})" if inner is not None else None
    if name == "linspace" and len(made.args) == 3:
        return f"{function}({written(made.args[0])}, {written(made.args[1])}, len({other}))"
    if name not in _COUNTING or len(made.args) > 2:
        return None
    start = made.args[0] if len(made.args) == 2 else ast.Constant(0)
    if not isinstance(start, ast.Constant) or type(start.value) is not int:
        return None
    first = start.value
    if first == 0:
        return f"{function}(len({other}))"
    return f"{function}({first}, len({other}) + {first})"


def _sees(found: Failing, file: str, line: int, other: ast.expr) -> bool:
    """Whether the data are already there where the numbers are made, and no other round of a loop has others."""
    tree = found.sources[file].tree
    if file == found.place.file and scope_at(tree, line) is not scope_at(tree, found.place.line):
        return False
    for name in {one.id for one in walk(other, ast.Name)}:
        there = found.trails.bound(file, line, name)
        here = found.trails.bound(found.place.file, found.place.line, name)
        if [(at, one.line) for at, one in there[:1]] != [(at, one.line) for at, one in here[:1]]:
            return False
        if any(one.line >= line and at == file for at, one in there[:1]):
            return False
    return True


def _at_calls(found: Failing, node: ast.expr, made: ast.expr, right: str) -> Change | None:
    """The numbers counted anew in each call of the function that draws something over the same ones."""
    file = found.place.file
    if not found.is_editable(file):
        return None
    source = found.sources[file]
    calls = sorted(_alike(scope_at(source.tree, found.place.line), node), key=lambda one: one.lineno)
    texts = [(one.args[0], _counting(made, written(one.args[1]))) for one in calls]
    edits = [over(source, file, one, text) for one, text in texts if text is not None]
    if not edits:
        return None
    title = f"Write `{right}`"
    title += f" instead of `{written(node)}`, and the same for what else is drawn over it" if len(edits) > 1 else ""
    return Change(title=title, kind="expression", edits=edits)


def _alike(scope: ast.AST, node: ast.expr) -> Iterator[ast.Call]:
    for call in within(scope):
        if isinstance(call, ast.Call) and callee(call) in DRAWING and len(call.args) > 1:
            is_data = not isinstance(call.args[1], ast.Constant | ast.List | ast.Tuple)
            if written(call.args[0]) == written(node) and is_data:
                yield call
