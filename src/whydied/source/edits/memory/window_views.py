"""Windows of a series that a loop gathers and a statement joins, and arrays that are written several times: shown in
place, and fed batch by batch. Pure.

Only for a loop over `range` whose variable both ends of the window move with: the windows are then those of
`sliding_window_view`, which copies nothing. What `fit` gets as an array it copies whole, so that it is given batches.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.source.arrays.repeated_values import Repetition
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.edit import Edit, end_of, over, start_of, written_in
from whydied.source.edits.import_edits import add_import, name_of
from whydied.source.text import Source
from whydied.source.trees import nodes_on, scope_at, walk, within, written

_JOINING = frozenset({"array", "asarray", "stack", "asanyarray"})
_ADDING = {ast.Add: "+", ast.Sub: "-"}
_BY_KEYWORD = ("x", "y", "batch_size")
_NOT_IN_BATCHES = frozenset({"validation_split", "sample_weight"})
_CLASS = '''

class ArrayBatches({keras}.utils.Sequence):
    """Rows of arrays batch by batch: nothing is copied but the batch."""

    def __init__(self, x, y, batch_size):
        super().__init__()
        self.x, self.y, self.batch_size = x, y, batch_size

    def __len__(self):
        return -(-len(self.x) // self.batch_size)

    def __getitem__(self, number):
        rows = slice(number * self.batch_size, (number + 1) * self.batch_size)
        return self.x[rows], self.y[rows]
'''


class Windows(NamedTuple):
    """A list of windows of `series`, as the source writes it, of `length` rows."""

    series: str
    length: str
    first: str
    stop: str
    step: str


def joined_names(source: Source, line: int) -> list[str]:
    """The lists that the statement at a line makes arrays of."""
    return [written(call.args[0]) for call in _joins(source, line)]


def _joins(source: Source, line: int) -> list[ast.Call]:
    calls = [node for node in nodes_on(source, line) if isinstance(node, ast.Call) and callee(node) in _JOINING]
    return [call for call in calls if len(call.args) == 1 and isinstance(call.args[0], ast.Name | ast.Attribute)]


def windows_of(source: Source, line: int, name: str) -> Windows | None:
    """The windows that a loop of the same function appends to a list, or that a comprehension makes it of, where
    nothing else fills it."""
    scope = scope_at(source.tree, line)
    made = [
        one.value
        for one in within(scope)
        if isinstance(one, ast.Assign) and name in map(written, one.targets) and one.lineno < line
    ]
    fills = [
        _Fill(loop.target, loop.iter, call.args[0])
        for loop in within(scope)
        if isinstance(loop, ast.For)
        for one in loop.body
        if isinstance(one, ast.Expr) and isinstance(call := one.value, ast.Call)
        if written(call.func) == f"{name}.append" and len(call.args) == 1
    ]
    every = [node for node in within(scope) if isinstance(node, ast.Attribute) and written(node.value) == name]
    if len(made) == 1 and isinstance(made[0], ast.ListComp) and len(made[0].generators) == 1 and not every:
        only = made[0].generators[0]
        return _windows(_Fill(only.target, only.iter, made[0].elt)) if not only.ifs else None
    return _windows(fills[0]) if len(fills) == 1 and len(every) == 1 else None


class _Fill(NamedTuple):
    """What is put into a list in each turn of a loop."""

    target: ast.expr
    iter: ast.expr
    value: ast.expr


def _windows(fill: _Fill) -> Windows | None:
    window, variable = fill.value, fill.target
    cut = window.slice if isinstance(window, ast.Subscript) else None
    over_range = fill.iter if isinstance(fill.iter, ast.Call) and callee(fill.iter) == "range" else None
    # An index of the other axes would have to be kept: only whole rows are followed.
    if not isinstance(window, ast.Subscript) or not isinstance(cut, ast.Slice) or over_range is None or cut.step:
        return None
    if not isinstance(variable, ast.Name) or over_range.keywords:
        return None
    ends = [_offset(end, variable.id) for end in (cut.lower, cut.upper)]
    bounds = [written(one) for one in over_range.args]
    if ends[0] is None or ends[1] is None or not bounds:
        return None
    first, stop = (bounds[0], bounds[1]) if len(bounds) > 1 else ("0", bounds[0])
    length = _difference(ends[1], ends[0])
    moved = [_sum(bound, ends[0]) for bound in (first, stop)]
    return Windows(written(window.value), length, moved[0], moved[1], bounds[2] if len(bounds) > 2 else "")


def shown_windows(source: Source, file: str, line: int, name: str, numpy: str) -> Edit | None:
    """`np.array(windows)` as the windows themselves."""
    windows = windows_of(source, line, name)
    calls = [call for call in _joins(source, line) if written(call.args[0]) == name]
    if windows is None or len(calls) != 1:
        return None
    step = f" : {windows.step}" if windows.step else ""
    view = f"{numpy}.lib.stride_tricks.sliding_window_view({windows.series}, {windows.length}, axis=0)"
    text = f"{numpy}.moveaxis({view}, -1, 1)[{windows.first} : {windows.stop}{step}]"
    return over(source, file, calls[0], text)


def shown_without_copy(source: Source, file: str, found: Repetition, rank: int, last: int, numpy: str) -> Edit | None:
    """The same along the last axis, where the array has one of it, as a view."""
    if found.axis not in (-1, rank - 1 + found.is_new):
        return None
    if found.is_new:
        text = f"{numpy}.broadcast_to({found.array}[..., None], {found.array}.shape + ({found.times},))"
    elif last == 1:
        text = f"{numpy}.broadcast_to({found.array}, {found.array}.shape[:-1] + ({found.times},))"
    else:
        return None
    return over(source, file, found.call, text)


def fed_in_batches(source: Source, file: str) -> list[Edit]:
    """The only call of `fit` with arrays for `x` and `y`, fed by batches of them."""
    calls = [call for call in walk(source.tree, ast.Call) if callee(call) == "fit"]
    keras = name_of(source, "keras")
    if len(calls) != 1 or keras is None or any(one.arg is None for one in calls[0].keywords):
        return []
    call = calls[0]
    x, y, size = (passed_argument(call, word) or _positional(call, at) for at, word in enumerate(_BY_KEYWORD))
    plain = isinstance(x, ast.Name | ast.Attribute) and isinstance(y, ast.Name | ast.Attribute)
    if not plain or any(one.arg in _NOT_IN_BATCHES for one in call.keywords):
        return []
    rows = written_in(source, size) if size is not None else "32"
    # Rows are not shuffled among batches; the order of the batches is.
    kept = [*call.args[3:], *(one for one in call.keywords if one.arg not in _BY_KEYWORD)]
    given = [f"ArrayBatches({written(x)}, {written(y)}, {rows})", *(written_in(source, one) for one in kept)]  # type: ignore[arg-type]
    made = add_import(source, file, _CLASS.format(keras=keras).rstrip("\n"))
    if made is None or len(call.args) > len(_BY_KEYWORD):
        return []
    inner = Edit(file, end_of(source, call.func), end_of(source, call), f"({', '.join(given)})")
    return [made, inner] if start_of(source, call) > made.end else []


def _positional(call: ast.Call, at: int) -> ast.expr | None:
    return call.args[at] if at < len(call.args) else None


def _offset(node: ast.expr | None, variable: str) -> tuple[str, str] | None:
    """What is added to a loop's variable, as a sign and an expression; ("", "") for the variable itself."""
    if isinstance(node, ast.Name) and node.id == variable:
        return "", ""
    if not isinstance(node, ast.BinOp) or type(node.op) not in _ADDING:
        return None
    if isinstance(node.left, ast.Name) and node.left.id == variable and not _names(node.right, variable):
        return _ADDING[type(node.op)], _grouped(node.right)
    if isinstance(node.op, ast.Add) and isinstance(node.right, ast.Name) and node.right.id == variable:
        return ("+", _grouped(node.left)) if not _names(node.left, variable) else None
    return None


def _names(node: ast.AST, variable: str) -> bool:
    return any(one.id == variable for one in walk(node, ast.Name))


def _grouped(node: ast.expr) -> str:
    return f"({written(node)})" if isinstance(node, ast.BinOp) else written(node)


def _sum(bound: str, offset: tuple[str, str]) -> str:
    sign, text = offset
    if sign == "-" and bound == text:
        return "0"
    return f"{bound} {sign} {text}" if sign and bound != "0" else (f"{'' if sign == '+' else sign}{text}" or bound)


def _difference(upper: tuple[str, str], lower: tuple[str, str]) -> str:
    """What the one offset is more than the other."""
    parts = [(sign, text) for sign, text in (upper, ("-" if lower[0] == "+" else "+", lower[1])) if text]
    head = "".join(text if sign == "+" else f"-{text}" for sign, text in parts[:1])
    return " ".join([head, *(f"{sign} {text}" for sign, text in parts[1:])])
