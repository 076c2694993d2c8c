"""Class numbers that are turned into one-hot rows, and go beyond the number of classes. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from whydied.diagnose.case import prefix
from whydied.diagnose.data.failing_data import Failing, fact
from whydied.diagnose.data.made_sizes import chain, made_extent
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Finding
from whydied.records import DataLooked
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.edit import Change, Edit, over, written_in
from whydied.source.edits.import_edits import name_of
from whydied.source.trees import across, walk, written

_PASSED_ON = frozenset({"array", "asarray", "int", "int32", "int64", "ravel", "squeeze", "list"})
_PART = re.compile(r"train(ing)?|test(ing)?|valid(ation)?|val|dev|eval|_?(?<=_)(tr|te|va|ts)\b", re.IGNORECASE)


class _Encoded(NamedTuple):
    """`labels` are encoded by `node`, which has room for `size` classes, an expression where it is written out;
    `places` are where else the same is done, each with its labels."""

    labels: ast.expr
    node: ast.expr
    size: ast.expr | None
    places: list[tuple[str, ast.expr]]


def beyond_classes(found: Failing, index: int, axis: int, size: int) -> Finding | None:
    """Labels that count from 1 (or from another number), else more of them than classes."""
    for one in _encoded(found, axis):
        data = _looked(found, one.labels)
        low, high = (data.lowest, data.highest) if data is not None else (None, None)
        if data is None or low is None or high is None or low < 0 or not max(low, size) <= index <= high:
            continue
        count_from = low if low > 0 and high - low + 1 == size else 0
        return _shifted(found, one, data, count_from) if count_from else _widened(found, one, data, size)
    return None


def _shifted(found: Failing, one: _Encoded, data: DataLooked, low: int) -> Finding:
    text = written(one.labels)
    edits = [_minus(found, file, node, data, low) for file, node in [(found.place.file, one.labels), *one.places]]
    made = [edit for edit in edits if edit is not None]
    changes = []
    if made and made[0] is edits[0]:
        others = f", and likewise {_named(one.places)}" if one.places else ""
        title = f"Count the classes from 0: `{made[0].text}`{others}"
        changes = [Change(title=title, kind="expression", edits=made)]
    also = f", and the same of {_named(one.places)}" if one.places else ""
    return _finding(
        found,
        data,
        text,
        f"the labels in `{data.text}` run from {low} to {data.highest}, and classes count from 0: the "
        f"{(data.highest or 0) - low + 1} classes of `{written(one.node)}` are 0 to {(data.highest or 0) - low}",
        f"Subtract {low} from the labels: `{_plain(text)} - {low}`{also}. A predicted class + {low} is then the label.",
        changes,
    )


def _widened(found: Failing, one: _Encoded, data: DataLooked, size: int) -> Finding:
    needed = (data.highest or 0) + 1
    file, line, node = found.place.file, found.place.line, one.size
    changes = []
    what = "the number of classes"
    if node is not None:
        what = f"`{written(node)}`"
        for step in chain(found, file, line, node):
            file, line, node = step.file, step.line, step.value
        if found.is_editable(file):
            edit = over(found.sources[file], file, node, str(needed))
            changes = [Change(title=f"Make {what} {needed}", kind="expression", edits=[edit])]
    return _finding(
        found,
        data,
        written(one.labels),
        f"the labels in `{data.text}` run from {data.lowest} to {data.highest}, and `{written(one.node)}` has {size} "
        f"classes, 0 to {size - 1}",
        f"{needed} classes are needed for labels up to {data.highest}: make {what} {needed}, also for the last layer.",
        changes,
    )


def _finding(found: Failing, data: DataLooked, name: str, words: str, advice: str, changes: list[Change]) -> Finding:
    return Finding(
        message=f"{prefix(found.place)}{words}",
        certainty="likely",
        location=found.place,
        culprit=Culprit(kind="expression", name=name, shape=data.shape),
        evidence=[said(found.link), fact(f"labels in `{data.text}`", f"{data.lowest} to {data.highest}")],
        advice=[advice],
        changes=changes,
    )


def _encoded(found: Failing, axis: int) -> Iterator[_Encoded]:
    """What the failing statement encodes: `to_categorical(y, n)`, `np.eye(n)[y]`, `rows[i, y[i]] = 1`."""
    for node in found.expressions:
        if isinstance(node, ast.Call) and callee(node) == "to_categorical":
            labels, size = _arguments(node)
            if labels is not None and size is not None and axis == 1:
                yield _Encoded(labels, node, size, _like(found, node, labels, size))
        elif isinstance(node, ast.Subscript) and axis == 0 and not isinstance(node.slice, ast.Tuple | ast.Slice):
            if (made := _identity(found, node.value)) is not None:
                yield _Encoded(node.slice, node, made, [])
        elif isinstance(node, ast.Subscript) and axis == 1 and _is_one_per_row(found, node):
            assert isinstance(node.slice, ast.Tuple)
            extent = made_extent(found, node.value, 1)
            if extent is not None and extent.file == found.place.file:
                yield _Encoded(node.slice.elts[1], node.value, extent.size, [])


def _arguments(call: ast.Call) -> tuple[ast.expr | None, ast.expr | None]:
    labels = passed_argument(call, "0") or passed_argument(call, "x") or passed_argument(call, "y")
    return labels, passed_argument(call, "num_classes") or passed_argument(call, "1")


def _identity(found: Failing, node: ast.expr) -> ast.expr | None:
    """The size of an identity matrix, whose rows are one-hot."""
    steps = found.trails.trail(found.place.file, found.place.line, node) if isinstance(node, ast.Name) else []
    for value in [node, *(step.value for step in steps if step.file == found.place.file)]:
        if isinstance(value, ast.Call) and callee(value) in ("eye", "identity"):
            return passed_argument(value, "0")
    return None


def _is_one_per_row(found: Failing, node: ast.Subscript) -> bool:
    """Whether a statement writes a 1 into each row, at the column that the row's label says."""
    if not isinstance(node.ctx, ast.Store) or not isinstance(node.slice, ast.Tuple) or len(node.slice.elts) != 2:
        return False
    row, column = node.slice.elts
    source = found.sources[found.place.file]
    ones = [
        one
        for one in walk(source.tree, ast.Assign)
        if node in one.targets and isinstance(one.value, ast.Constant) and one.value.value in (1, True)
    ]
    if not ones:
        return False
    if isinstance(row, ast.Call) and callee(row) in ("arange", "range"):
        return True
    if isinstance(_inner(column), ast.Subscript):
        return written(_inner(column).slice) == written(row)  # type: ignore[attr-defined]
    pairs = [
        loop.target
        for loop in walk(source.tree, ast.For)
        if isinstance(loop.iter, ast.Call) and callee(loop.iter) == "enumerate" and ones[0] in loop.body
    ]
    return any(written(pair) == f"({written(row)}, {written(_inner(column))})" for pair in pairs)


def _inner(node: ast.expr) -> ast.expr:
    """Labels without what only gives them another form."""
    while isinstance(node, ast.Call):
        if callee(node) in _PASSED_ON and node.args:
            node = node.args[0]
        elif isinstance(node.func, ast.Attribute) and callee(node) in ("astype", "reshape", "flatten", "ravel", "copy"):
            node = node.func.value
        else:
            break
    return node


def _looked(found: Failing, labels: ast.expr) -> DataLooked | None:
    """What was seen of the labels, of each of them or of all."""
    inner = _inner(labels)
    texts = [written(labels), written(inner)]
    if isinstance(inner, ast.Subscript):
        texts.append(written(inner.value))
    for step in found.trails.trail(found.place.file, found.place.line, inner):
        value = _inner(step.value)
        if step.in_loop and isinstance(value, ast.Call) and callee(value) == "enumerate" and value.args:
            value = value.args[0]
        texts.append(written(value))
    for text in texts:
        one = found.looked(text)
        if one is not None and one.highest is not None and (one.shape is None or one.shape[1:] in ([], [1])):
            return one
    return None


def _like(found: Failing, call: ast.Call, labels: ast.expr, size: ast.expr) -> list[tuple[str, ast.expr]]:
    """The labels of the other parts of the data, which are encoded with the same number of classes."""
    other: list[tuple[str, ast.expr]] = []
    for file, one in across(found.sources, ast.Call):
        if one is call or callee(one) != "to_categorical" or not found.is_editable(file):
            continue
        theirs, room = _arguments(one)
        if theirs is None or room is None or written(room) != written(size):
            continue
        if _PART.sub("", written(theirs)) == _PART.sub("", written(labels)):
            other.append((file, theirs))
    return other


def _minus(found: Failing, file: str, node: ast.expr, data: DataLooked, low: int) -> Edit | None:
    if not found.is_editable(file):
        return None
    source = found.sources[file]
    text = _plain(written_in(source, node))
    if data.type in ("list", "tuple") and isinstance(node, ast.Name) and data.text == node.id:
        numpy = next(filter(None, (name_of(one, "numpy") for one in found.sources.values())), None)
        if numpy is None:
            return None
        text = f"{numpy}.array({text})"
    return over(source, file, node, f"{text} - {low}")


def _plain(text: str) -> str:
    node = ast.parse(text.strip(), mode="eval").body
    return text if isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call) else f"({text})"


def _named(places: list[tuple[str, ast.expr]]) -> str:
    return ", ".join(f"`{written(node)}` on line {node.lineno}" for _, node in places)
