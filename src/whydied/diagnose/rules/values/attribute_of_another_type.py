"""A method or attribute is asked of a value of another type than the one that has it.

## What it detects
An `AttributeError` of a table, column, array, list or tensor, where the missing name is one that another of these types
has: `columns` of an array, `reshape` of a table, `shape` of a list.

## Why it happens
scikit-learn gives arrays for tables, so `train = scaler.fit_transform(train)` loses its columns (or has lost them the
second time that a cell runs); `.values`, `np.array` and Keras do the same; a list is no array yet.

## Evidence
The type of the value, recorded at the exception; the types that have such a name, asked while the program was alive;
the line that gave the name its value, from the source.

## How it is proved
That the type has no such attribute is the exception itself; where the value should have been made otherwise is an
inference: likely. Where a line put the value in the place of the older one under the same name, that line is told.

## Fix
Another name for the converted value, or the conversion where it is used.

## Known problems
None known.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import Failing, failing, words_at
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Finding
from whydied.source.edits.edit import Change, over
from whydied.source.origins.trails import Step
from whydied.source.trees import walk, written
from whydied.texts import python_errors

ROLE = "explanation"
YIELDS_TO = ("shadowed-name", "none-result", "api-removed")
_OF_TABLES = frozenset(
    {
        *(
            "columns",
            "index",
            "iloc",
            "loc",
            "head",
            "tail",
            "drop",
            "dropna",
            "fillna",
            "values",
            "groupby",
            "iterrows",
        ),
        *("describe", "info", "to_numpy", "isnull", "value_counts", "merge", "apply", "reset_index", "dtypes", "get"),
    }
)
_OF_ARRAYS = frozenset(
    {
        *(
            "reshape",
            "shape",
            "astype",
            "ndim",
            "flatten",
            "ravel",
            "argmax",
            "dtype",
            "T",
            "mean",
            "std",
            "max",
            "min",
        ),
        *("sum", "size", "transpose", "tolist", "argsort", "squeeze", "swapaxes"),
    }
)
_GIVING_ARRAYS = ("values", "to_numpy")
_CONVERTED = {
    ("DataFrame", "array"): "{0}.to_numpy()",
    ("Series", "array"): "{0}.to_numpy()",
    ("Index", "array"): "{0}.to_numpy()",
    ("list", "array"): "np.array({0})",
    ("tuple", "array"): "np.array({0})",
    ("ndarray", "table"): "pd.DataFrame({0})",
}


def check(case: Case) -> Finding | None:
    found = failing(case, "AttributeError")
    told = python_errors.VALUE_WITHOUT_ATTRIBUTE.search(found.link.message) if found is not None else None
    if found is None or told is None:
        return None
    kind, name = told[1].rpartition(".")[2], told[2]
    for node in found.expressions:
        if isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Load):
            operand = found.operand(written(node.value)) or found.looked(written(node.value))
            if operand is None or operand.type.rpartition(".")[2] == kind:
                return _finding(found, node, kind)
    return None


def _finding(found: Failing, node: ast.Attribute, kind: str) -> Finding | None:
    owner = "table" if node.attr in _OF_TABLES and kind not in ("DataFrame", "Series") else ""
    owner = owner or ("array" if node.attr in _OF_ARRAYS and kind != "ndarray" else "")
    right = _CONVERTED.get((kind, owner))
    if right is None:
        return None
    text = written(node.value)
    replaced = _replaced(found, node.value)
    article = {"table": "a pandas table", "array": "a NumPy array"}[owner]
    if replaced is not None:
        place = found.located(replaced.file, replaced.line)
        used = f"{words_at(found.place.file, found.place.line)} asks for `{node.attr}`, which only {article} has"
        return Finding(
            message=f"{prefix(place)}`{text}` becomes {_article(kind)} here, and {used}",
            certainty="likely",
            location=place,
            culprit=Culprit(kind="expression", name=text),
            evidence=[said(found.link)],
            advice=[
                f"Give the result of `{written(replaced.value)}` another name than `{text}`."
                + (" In a notebook, first run the cell again that makes the table." if place.cell is not None else "")
            ],
        )
    fixed = text if node.attr in _GIVING_ARRAYS else f"{right.format(text)}.{node.attr}"
    source = found.sources[found.place.file]
    edit = over(source, found.place.file, node, fixed)
    plain = found.is_editable(found.place.file) and owner == "array"
    return Finding(
        message=f"{prefix(found.place)}`{text}` is {_article(kind)}, and `{node.attr}` is of {article}",
        # The line is that of the use: what made it a value of this type is not told.
        certainty="likely",
        location=found.place,
        culprit=Culprit(kind="expression", name=text),
        evidence=[said(found.link)],
        advice=[f"Write `{fixed}`." if fixed != text else f"Write `{text}` alone: it is an array already."],
        changes=[Change(title=f"Write `{fixed}`", kind="expression", edits=[edit])] if plain else [],
    )


def _article(kind: str) -> str:
    return {"ndarray": "a NumPy array", "DataFrame": "a pandas table", "Series": "a pandas column"}.get(
        kind, f"a {kind}"
    )


def _replaced(found: Failing, node: ast.expr) -> Step | None:
    """The line that put a converted value in the place of an older one of the same name."""
    steps = found.trails.trail(found.place.file, found.place.line, node)
    first = steps[0] if steps else None
    if first is None or first.is_passed or first.in_loop or not isinstance(node, ast.Name):
        return _last_call(found, node)
    reads = {one.id for one in walk(first.value, ast.Name)}
    return first if node.id in reads and isinstance(first.value, ast.Call | ast.Attribute) else None


def _last_call(found: Failing, node: ast.expr) -> Step | None:
    """The same for a name whose trail cannot be followed through its call."""
    if not isinstance(node, ast.Name):
        return None
    seen = found.trails.bound(found.place.file, found.place.line, node.id)
    for file, one in seen[:1]:
        if one.value is not None and one.kind == "assignment":
            reads = {name.id for name in walk(one.value, ast.Name)}
            if node.id in reads and isinstance(one.value, ast.Call | ast.Attribute):
                return Step(file, one.line, one.value, node.id)
    return None
