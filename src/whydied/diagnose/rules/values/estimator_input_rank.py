"""A method of scikit-learn gets a number or a column where it takes an array with one axis more, or one less.

## What it detects
An error in a method of a scikit-learn object whose argument has another number of axes than the object takes: encoders
of labels take one axis, everything else rows and columns.

## Why it happens
`inverse_transform(label)` with one label, `fit_transform(table["price"])` with one column, the probabilities of all
classes where the number of the class is meant.

## Evidence
The object and the shape of the argument, recorded at the exception.

## How it is proved
The shape was seen, and scikit-learn says that it takes another number of axes: certain.

## Fix
The argument in brackets, or reshaped; the edit is given.

## Known problems
None known.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import Failing, failing
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Finding
from whydied.source.edits.edit import Change, over
from whydied.source.trees import written
from whydied.texts import estimators

ROLE = "explanation"
YIELDS_TO = ("fitted-on-others",)
_OF_LABELS = frozenset({"LabelEncoder", "LabelBinarizer"})


def check(case: Case) -> Finding | None:
    found = failing(case, "ValueError")
    if found is not None and estimators.MIXED_TARGETS.search(found.link.message):
        return _scores(found)
    if found is None or estimators.WRONG_RANK.search(found.link.message) is None:
        return None
    for node in found.expressions:
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
            continue
        known = found.looked(written(node.func.value))
        if known is not None and known.fitted is not None:
            return _finding(found, node, known.type.rpartition(".")[2])
    return None


def _scores(found: Failing) -> Finding | None:
    """A measure of classes that gets what a model gives: probabilities in the place of class numbers."""
    for call in [one for one in found.expressions if isinstance(one, ast.Call) and len(one.args) >= 2]:
        known = [found.looked(written(one)) or found.operand(written(one)) for one in call.args[:2]]
        for at, one in enumerate(known):
            if one is None or one.shape is None or not (one.dtype or "").startswith("float"):
                continue
            text = written(call.args[at])
            wide = len(one.shape) == 2 and (one.shape[1] or 0) > 1
            right = f"{text}.argmax(axis=1)" if wide else f"({text} > 0.5).astype(int)"
            shape = ", ".join(map(str, one.shape))
            what = "the probabilities of all classes" if wide else "probabilities"
            edit = over(found.sources[found.place.file], found.place.file, call.args[at], right)
            return Finding(
                message=f"{prefix(found.place)}`{written(call.func)}` takes class numbers, and `{text}` ({shape}) "
                f"holds {what}",
                certainty="likely",
                location=found.place,
                culprit=Culprit(kind="expression", name=text, shape=list(one.shape)),
                evidence=[said(found.link)],
                advice=[f"Write `{right}`."],
                changes=[Change(title=f"Pass `{right}`", kind="expression", edits=[edit])]
                if found.is_editable(found.place.file)
                else [],
            )
    return None


def _finding(found: Failing, call: ast.Call, kind: str) -> Finding | None:
    given = call.args[0]
    text = written(given)
    one = found.looked(text) or found.operand(text)
    shape = one.shape if one is not None else None
    if one is not None and shape is None and one.length is not None:
        shape = [one.length]
    if one is not None and shape is None and one.type in ("int", "float", "str"):
        shape = []
    if shape is None or one is None:
        return None
    right = _right(text, len(shape), kind in _OF_LABELS, one.type)
    if right is None:
        return None
    takes = "one axis" if kind in _OF_LABELS else "rows and columns"
    has = f"has the shape ({', '.join(map(str, shape))})" if shape else "is a single value"
    source = found.sources[found.place.file]
    inverse = kind in _OF_LABELS and not shape and written(call.func).endswith("inverse_transform")
    edit = over(source, found.place.file, call, f"{written(call.func)}({right})[0]") if inverse else None
    edit = edit or over(source, found.place.file, given, right)
    changes = [Change(title=f"Pass `{right}`", kind="expression", edits=[edit])]
    words = f"Write `{written(call.func)}({right}){'[0]' if inverse else ''}`."
    return Finding(
        message=f"{prefix(found.place)}`{written(call.func)}` takes {takes}, and `{text}` {has}",
        certainty="certain",
        location=found.place,
        culprit=Culprit(kind="expression", name=text, shape=list(shape)),
        evidence=[said(found.link)],
        advice=[words],
        changes=changes if found.is_editable(found.place.file) else [],
    )


def _right(text: str, rank: int, of_labels: bool, kind: str) -> str | None:
    if of_labels:
        return f"[{text}]" if rank == 0 else f"{text}.argmax(axis=1)" if rank == 2 else None
    if rank == 0:
        return f"[[{text}]]"
    if rank == 1 and kind.endswith(("Series", "Index")):
        return f"{text}.to_frame()"
    if rank == 1:
        return f"{text}.reshape(-1, 1)" if kind.endswith("ndarray") else f"np.reshape({text}, (-1, 1))"
    return f"{text}.reshape(len({text}), -1)" if rank > 2 else None
