"""Row numbers are used as labels of a pandas table whose rows are not numbered 0, 1, 2 any more.

## What it detects
A `KeyError` of whole numbers in `table.loc[rows]` or `column[number]`, where the numbers are positions within the table
and its rows are labelled otherwise.

## Why it happens
After rows are filtered, dropped, shuffled or split, each row keeps the label that it had. `KFold`,
`range(len(table))` and `np.random.permutation` give positions.

## Evidence
The labels of the rows and the numbers that were asked, recorded at the exception; the line that chose the rows.

## How it is proved
All numbers lie within the length of the table, and its labels are not 0, 1, 2 and so on: certain.

## Fix
`iloc`, or `reset_index(drop=True)` where the rows are chosen.

## Known problems
None known.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import Failing, fact, failing, words_at
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Finding
from whydied.records import DataLooked
from whydied.source.calls import callee
from whydied.source.edits.call_edits import add_argument
from whydied.source.edits.edit import Change, Edit, end_of, over, written_in
from whydied.source.origins.trails import Step
from whydied.source.text import Source
from whydied.source.trees import enclosing, tree_of, walk, written

ROLE = "explanation"
_MOST_TABLES = 2
_CHOOSING = frozenset({"dropna", "sample", "drop_duplicates", "query", "drop", "train_test_split", "head", "tail"})


def check(case: Case) -> Finding | None:
    found = failing(case, "KeyError")
    if found is None:
        return None
    for node in found.expressions:
        if not isinstance(node, ast.Subscript):
            continue
        owner = node.value.value if isinstance(node.value, ast.Attribute) and node.value.attr == "loc" else node.value
        renumbered = _renumbered(found, node, owner)
        if renumbered is not None:
            return renumbered
        table = _table(found, owner)
        if table is not None and table.shape and _are_positions(found, node.slice, table):
            return _finding(found, node, owner, table)
    return None


def _renumbered(found: Failing, node: ast.Subscript, owner: ast.expr) -> Finding | None:
    """The other way round: a column that was made anew counts its rows, and is asked for the labels of another one."""
    column = found.looked(written(owner))
    is_loc = isinstance(node.value, ast.Attribute) and node.value.attr == "loc"
    if column is None or column.counted is not True or not is_loc:
        return None
    for step in found.trails.trail(found.place.file, found.place.line, owner):
        call = step.value
        if isinstance(call, ast.Name):
            continue
        if not isinstance(call, ast.Call) or callee(call) not in ("Series", "DataFrame") or not call.args:
            return None
        if any(one.arg == "index" for one in call.keywords):
            return None
        place = found.located(step.file, step.line)
        tables = _tables(found, step, column.shape[0] if column.shape else None)
        return Finding(
            message=f"{prefix(place)}`{written(call)}` numbers its rows anew ({column.labels_lowest} to "
            f"{column.labels_highest}), and `{written(node)}` on {words_at(found.place.file, found.place.line)} asks "
            "for the labels of other rows",
            certainty="likely",
            location=place,
            culprit=Culprit(kind="expression", name=step.name or written(owner)),
            evidence=[
                said(found.link),
                fact("labels of the rows", f"{column.labels_lowest} to {column.labels_highest}"),
            ],
            advice=[_index_advice(call, tables[0] if tables else "table")],
            changes=_indexed(found, step, call, tables),
        )
    return None


def _index_advice(call: ast.Call, table: str) -> str:
    return f"Give it the index of the table that it belongs to: `{written(call)[:-1]}, index={table}.index)`."


def _indexed(found: Failing, step: Step, call: ast.Call, tables: list[str]) -> list[Change]:
    if not found.is_editable(step.file):
        return []
    source = found.sources[step.file]
    return [
        Change(
            title=f"Write `{written(call)[:-1]}, index={table}.index)`",
            kind="value",
            edits=[add_argument(source, step.file, call, f"index={table}.index")],
        )
        for table in tables[:_MOST_TABLES]
    ]


def _tables(found: Failing, step: Step, rows: int | None) -> list[str]:
    """The tables of the function that made a column which have as many rows; where that is not known, what was bound
    together with the values of the column."""
    function = enclosing(tree_of(found.sources, step.file), step.line)
    frames = [one for one in found.link.frames if one.file == step.file and one.function == function]
    call = step.value
    own = {written(one) for one in ast.walk(call) if isinstance(one, ast.Name)} | {step.name}
    return [
        one.name
        for frame in frames
        for one in frame.locals
        if one.type.rpartition(".")[2] in ("DataFrame", "Series") and one.shape and one.shape[0] == rows
        if one.name not in own
    ]


def _table(found: Failing, owner: ast.expr) -> DataLooked | None:
    """What is asked; of a column the table that it belongs to, which has the same labels."""
    while True:
        one = found.looked(written(owner))
        if one is not None and one.counted is False:
            return one
        if not isinstance(owner, ast.Subscript | ast.Attribute):
            return None
        owner = owner.value


def _are_positions(found: Failing, asked: ast.expr, table: DataLooked) -> bool:
    length = (table.shape or [None])[0] or 0
    one = found.looked(written(asked))
    if one is not None and one.lowest is not None and one.highest is not None:
        return one.lowest >= 0 and one.highest < length
    wanted = found.link.wanted or ""
    return wanted.isdigit() and int(wanted) < length


def _finding(found: Failing, node: ast.Subscript, owner: ast.expr, table: DataLooked) -> Finding:
    chosen = _chosen(found, owner)
    place = found.located(*chosen[:2]) if chosen is not None else found.place
    length = (table.shape or [0])[0] or 0
    at = f" on {words_at(found.place.file, found.place.line)}" if place != found.place else ""
    right = f"{written(owner)}.iloc[{written(node.slice)}]"
    words = (
        f"the {length:,} rows of `{table.text}` keep their labels {table.labels_lowest} to {table.labels_highest}, and "
        f"`{written(node)}`{at} asks for positions"
    )
    advice = f"Write `{right}`, or number the rows anew with `.reset_index(drop=True)` where they are chosen."
    changes = [*_reset(found, chosen), *_by_position(found, node, table)]
    return Finding(
        message=f"{prefix(place)}{words}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="expression", name=table.text),
        evidence=[said(found.link), fact("labels of the rows", f"{table.labels_lowest} to {table.labels_highest}")],
        advice=[advice],
        changes=changes,
    )


def _reset(found: Failing, chosen: tuple[str, int, ast.expr] | None) -> list[Change]:
    """The rows numbered anew where some of them are chosen."""
    if chosen is None or not found.is_editable(chosen[0]):
        return []
    end = end_of(found.sources[chosen[0]], chosen[2])
    edit = Edit(chosen[0], end, end, ".reset_index(drop=True)")
    return [Change(title="Number the rows anew", kind="expression", edits=[edit])]


def _by_position(found: Failing, node: ast.Subscript, table: DataLooked) -> list[Change]:
    """`iloc` in the failing lookup, and in those of its block that ask a table with as many rows for them."""
    file = found.place.file
    if not found.is_editable(file):
        return []
    source = found.sources[file]
    keys = _bound_together(source.tree, node)
    nodes = [
        node,
        *(one for one in _beside(source.tree, node) if one is not node and _is_like(found, one, table, keys)),
    ]
    edits = [over(source, file, one, _positioned(source, one)) for one in nodes]
    title = f"Write `{edits[0].text}`" + (" and likewise for the other lookups of the block" if len(edits) > 1 else "")
    return [Change(title=title, kind="expression", edits=edits)]


def _positioned(source: Source, node: ast.Subscript) -> str:
    owner = node.value.value if isinstance(node.value, ast.Attribute) and node.value.attr == "loc" else node.value
    return f"{written_in(source, owner)}.iloc[{written_in(source, node.slice)}]"


def _bound_together(tree: ast.AST, node: ast.Subscript) -> set[str]:
    """The numbers of the failing lookup, and those that a loop or an unpacking gave a name together with them."""
    own = written(node.slice)
    for one in walk(tree, ast.Tuple):
        names = {part.id for part in one.elts if isinstance(part, ast.Name)}
        if isinstance(one.ctx, ast.Store) and own in names:
            return names
    return {own}


def _beside(tree: ast.AST, node: ast.Subscript) -> list[ast.Subscript]:
    """The lookups of the innermost loop or function around a lookup; of its statement where there is none."""
    holders = [
        one for one in ast.walk(tree) if isinstance(one, ast.For | ast.FunctionDef | ast.stmt) and node in ast.walk(one)
    ]
    loops = [one for one in holders if isinstance(one, ast.For | ast.FunctionDef)]
    inside = walk((loops or holders)[-1], ast.Subscript)
    return [one for one in inside if isinstance(one.ctx, ast.Load)]


def _is_like(found: Failing, node: ast.Subscript, table: DataLooked, keys: set[str]) -> bool:
    """Whether a lookup asks a table or column with as many rows for the same numbers."""
    owner = node.value.value if isinstance(node.value, ast.Attribute) and node.value.attr == "loc" else node.value
    if written(node.slice) not in keys or not isinstance(owner, ast.Name | ast.Subscript | ast.Attribute):
        return False
    kinds = {
        one.name: one
        for frame in found.link.frames
        for one in frame.locals
        if one.type.rpartition(".")[2] in ("DataFrame", "Series")
    }
    name = written(owner)
    rows = (table.shape or [None])[0]
    return name == table.text or (
        name in kinds and bool(kinds[name].shape) and (kinds[name].shape or [None])[0] == rows
    )


def _chosen(found: Failing, owner: ast.expr) -> tuple[str, int, ast.expr] | None:
    """The line that chose some of the rows."""
    for step in found.trails.trail(found.place.file, found.place.line, owner):
        filters = isinstance(step.value, ast.Subscript) and bool(walk(step.value.slice, (ast.Compare, ast.Call)))
        calls = {callee(call) for call in walk(step.value, ast.Call)}
        if (filters or calls & _CHOOSING) and not step.place and not step.is_passed:
            return step.file, step.line, step.value
    return None
