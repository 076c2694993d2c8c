"""An index goes beyond the size that another line gave an array, or misses keys that are counted from another number.

## What it detects
An `IndexError` of an array that the program made with a size of its own (`np.zeros((words, width))`), or a `KeyError`
of a whole number in a dictionary whose keys are a range of numbers that does not include it. Also class numbers that
are turned into one-hot rows (`to_categorical(y, classes)`, `np.eye(classes)[y]`, a loop of the program's own).

## Why it happens
Numbers that are counted from 1 need one place more than there are of them; the size was computed from other data (the
longest sentence of the training part) than the index runs over; 0 is kept for padding, and somebody begins with it.

## Evidence
The index and the size, from the exception; the numbers that the index is taken from, recorded; the line that computes
the size, and the one that the index comes from, followed through the source.

## How it is proved
Index and size were seen: that they do not fit is certain. Which of the two lines is wrong is an inference: likely.

## Fix
One place more where the numbers begin with 1, and labels that count from 0 where they are classes; else a size that
covers all data.

## Known problems
A size that is computed from several names is told as it is written.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.encoded_classes import beyond_classes
from whydied.diagnose.data.failing_data import Failing, fact, failing, words_at
from whydied.diagnose.data.made_sizes import made_extent
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.records import DataLooked
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, over
from whydied.source.trees import written
from whydied.texts import estimators

ROLE = "explanation"
_COUNTING = frozenset({"range", "arange"})


def check(case: Case) -> Finding | None:
    found = failing(case, "IndexError", "KeyError")
    if found is None:
        return None
    if found.link.type == "KeyError":
        return _missed_key(found)
    told = estimators.INDEX_BEYOND.search(found.link.message)
    if told is None:
        return None
    index, axis, size = int(told["index"]), int(told["axis"]), int(told["size"])
    encoded = beyond_classes(found, index, axis, size)
    if encoded is not None:
        return encoded
    for node in found.expressions:
        if isinstance(node, ast.Subscript):
            finding = _beyond(found, node, index, axis, size)
            if finding is not None:
                return finding
    return None


def _beyond(found: Failing, node: ast.Subscript, index: int, axis: int, size: int) -> Finding | None:
    array = found.looked(written(node.value)) or found.operand(written(node.value))
    if array is None or array.shape is None or len(array.shape) <= axis or array.shape[axis] != size:
        return None
    asked = node.slice.elts[axis] if isinstance(node.slice, ast.Tuple) and axis < len(node.slice.elts) else node.slice
    extent = made_extent(found, node.value, axis)
    if extent is None:
        return None
    file, line, written_size, called = extent[:4]
    place = found.located(file, line)
    numbers = _numbers(found, asked, index)
    counted = numbers is not None and numbers.lowest == 1 and numbers.highest == index == size
    what = ("rows", "columns")[axis] if axis < 2 else f"items along axis {axis}"
    at = f" on {words_at(found.place.file, found.place.line)}" if place != found.place else ""
    words = (
        f"`{written(node.value)}` gets {size:,} {what} (`{called}`), and index {index} is asked{at}: "
        f"`{written(asked)}` goes beyond it"
    )
    advice = [
        f"Compute `{called}` from all the data that `{written(asked)}` runs over: at least {index + 1} {what} are "
        "needed."
    ]
    changes: list[Change] = []
    if counted and numbers is not None:
        words = (
            f"`{written(node.value)}` gets {size:,} {what} (`{called}`), and the numbers of `{numbers.text}` go from 1 "
            f"to {size}: index {index} is asked{at}"
        )
        advice = [f"One more is needed, for 0: `{written(written_size)} + 1`."]
        source = found.sources[file]
        if found.is_editable(file):
            edit = over(source, file, written_size, f"{written(written_size)} + 1")
            changes = [Change(title="Make room for the number 0", kind="expression", edits=[edit])]
    return Finding(
        message=f"{prefix(place)}{words}",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="expression", name=written(node.value), shape=array.shape),
        evidence=[said(found.link), *_range(numbers)],
        advice=advice,
        changes=changes,
    )


def _range(numbers: DataLooked | None) -> list[Evidence]:
    if numbers is None or numbers.lowest is None:
        return []
    return [fact(f"numbers in `{numbers.text}`", f"{numbers.lowest} to {numbers.highest}")]


def _numbers(found: Failing, asked: ast.expr, index: int) -> DataLooked | None:
    """The numbers that the index is taken from, where they have it as their highest."""
    texts = [written(asked)]
    for step in found.trails.trail(found.place.file, found.place.line, asked):
        value = step.value
        while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            value = value.func.value
        texts.append(written(value))
    for text in texts:
        one = found.looked(text)
        if one is not None and one.highest == index:
            return one
    return None


def _missed_key(found: Failing) -> Finding | None:
    wanted = found.link.wanted or ""
    if not wanted.lstrip("-").isdigit() or not all(key.lstrip("-").isdigit() for key in found.link.keys):
        return None
    keys = sorted(int(key) for key in found.link.keys)
    if not keys or int(wanted) >= keys[0] or keys[0] != 1 or keys != list(range(1, len(keys) + 1)):
        return None
    asking = [node for node in found.expressions if isinstance(node, ast.Subscript)]
    node = next((one for one in asking if written(one.value) == found.link.holder), None)
    if node is None:
        return None
    steps = found.trails.trail(found.place.file, found.place.line, _plain(node.slice))
    counted = [step for step in steps if any(callee(one) in _COUNTING for one in _calls(step.value))]
    place = found.located(counted[-1].file, counted[-1].line) if counted else found.place
    at = f" on {words_at(found.place.file, found.place.line)}" if place != found.place else ""
    made = f"`{written(counted[-1].value)}` begins with {wanted}" if counted else f"{wanted} is asked"
    return Finding(
        message=f"{prefix(place)}the keys of `{found.link.holder}` begin with {keys[0]}, and {made}{at}",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="key", name=wanted, near=[str(keys[0])]),
        evidence=[said(found.link), fact("keys", ", ".join(found.link.keys[:8]), "ExceptionRaised")],
        advice=[f"Begin with {keys[0]}, or leave {wanted} out: it has no entry."],
    )


def _plain(node: ast.expr) -> ast.expr:
    return node.args[0] if isinstance(node, ast.Call) and callee(node) == "int" and node.args else node


def _calls(node: ast.AST) -> list[ast.Call]:
    return [one for one in ast.walk(node) if isinstance(one, ast.Call)]
