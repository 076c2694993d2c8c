"""A cell of a notebook uses a name that no cell has made yet, or an object that is older than what it was made from.

## What it detects
A NameError in a cell, where another cell of the notebook makes the name: it did not run, it ran and failed before it
came to that line, or it was changed after it ran. And an error about values in a statement that uses an object whose
maker read another name, which a later cell has given another value since.

## Why it happens
Cells run in the order in which somebody runs them, and a kernel keeps what they made: a cell is left out after a
restart, fails in the middle, or is edited and run again without those that depend on it.

## Evidence
The cells as they ran, in that order, with how each ended; the cells in the notebook's file when the report was made.

## How it is proved
A missing name and a cell that makes it and did not: certain. An object that is older than what it was made from is a
fact too; that the error comes of it is an inference: likely.

## Fix
Run the cells that are named, in the order that is named. An import or a plain value is written into the cell that lacks
it.

## Known problems
The notebook's file is what was last saved. Names that are made by `exec`, `globals()` or `%run` are not seen.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.records import CellEnded, CellStarted
from whydied.source.cell_names import Made, made_in, reads
from whydied.source.edits.edit import Change, Edit
from whydied.source.text import tree_or_empty
from whydied.source.trees import around, tree_of

ROLE = "explanation"
_OF_VALUES = (
    "ValueError",
    "TypeError",
    "IndexError",
    "KeyError",
    "AttributeError",
    "InvalidArgumentError",
    "FailedPreconditionError",
)


class _Cell(NamedTuple):
    """A cell as it ran; `raised` is the type of what it raised."""

    number: int
    made: dict[str, Made]
    raised: str


def check(case: Case) -> Finding | None:
    raised = case.uncaught
    place = case.locate_exception(raised.chain) if raised is not None else None
    if raised is None or place is None or place.cell is None:
        return None
    ran = list(_ran(case))
    before = [cell for cell in ran if cell.number < place.cell]
    link = raised.chain[0]
    if link.type == "NameError" and link.wanted:
        return _unmade(case, place, link.wanted, before)
    return _outdated(case, place, before) if link.type in _OF_VALUES else None


def _ran(case: Case) -> Iterator[_Cell]:
    ended = {cell.number: cell for cell in case.records.all(CellEnded)}
    for cell in case.records.all(CellStarted):
        end = ended.get(cell.number)
        yield _Cell(cell.number, _made(cell.code or cell.source), end.raised if end is not None else "")


def _made(text: str) -> dict[str, Made]:
    # Lines of IPython's own, which are not Python.
    plain = ["pass" if line.startswith(("%", "!", "?")) else line for line in text.splitlines()]
    return made_in(tree_or_empty("\n".join(plain)))


def _unmade(case: Case, place: Location, name: str, before: list[_Cell]) -> Finding | None:
    failed = [cell for cell in before if name in cell.made and cell.raised]
    if failed:
        cell = failed[-1]
        return _finding(
            place,
            name,
            f"`{name}` was not made: cell [{cell.number}] makes it on line {cell.made[name].line}, but it raised "
            f"{cell.raised} before that",
            f"cell [{cell.number}], line {cell.made[name].line}: {cell.made[name].text}",
            f"Fix and run cell [{cell.number}] again, then this one.",
        )
    if any(name in cell.made for cell in before):
        return None
    cells = case.recording.aftermath.cells
    own = next((at for at, text in enumerate(cells, 1) if text.strip() == _text(case, place).strip()), len(cells))
    for position, text in enumerate(cells, 1):
        made = _made(text).get(name)
        if made is not None and position != own:
            return _finding(
                place,
                name,
                f"`{name}` was not made: code cell {position} of the notebook makes it on line {made.line} "
                f"(`{made.text.splitlines()[0]}`), and has not run",
                f"code cell {position} of {len(cells)}, line {made.line}: {made.text}",
                "Run that cell first." if position < own else "That cell stands below this one: move it up.",
                changes=_written_here(case, place, made.text),
            )
    return None


def _written_here(case: Case, place: Location, made: str) -> list[Change]:
    """An import, or a plain value, above the failing cell: what it makes depends on no other cell."""
    source = case.sources.get(place.file)
    body = tree_or_empty(made).body
    if source is None or len(body) != 1 or "\n" in made or source.lines[0].startswith("%%"):
        return []
    one = body[0]
    is_plain = isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant)
    if not is_plain and not isinstance(one, ast.Import | ast.ImportFrom):
        return []
    title = f"Write `{made}` at the top of this cell"
    return [Change(title=title, kind="order", edits=[Edit(place.file, (1, 0), (1, 0), f"{made}\n")], harm="exact")]


def _text(case: Case, place: Location) -> str:
    source = case.sources.get(place.file)
    return "\n".join(source.lines) if source is not None else ""


def _outdated(case: Case, place: Location, before: list[_Cell]) -> Finding | None:
    """An object in the failing statement that is older than what it was made from."""
    statements = around(tree_of(case.sources, place.file), place.line, ast.stmt)
    for name in sorted({name for statement in statements[-1:] for name in reads(statement)}):
        at = _last_maker(name, before, len(before))
        if at is None:
            continue
        maker = before[at]
        for part in sorted(maker.made[name].reads):
            then, now = _last_maker(part, before, at), _last_maker(part, before, len(before))
            if then is None or now is None or now <= at or before[then].made[part].text == before[now].made[part].text:
                continue
            changed = before[now]
            return _finding(
                place,
                name,
                f"`{name}` is older than what it was made from: cell [{maker.number}] made it from `{part}`, which "
                f"cell [{changed.number}] has changed since",
                f"`{part}` when `{name}` was made (cell [{before[then].number}]): {before[then].made[part].text}; "
                f"now: {changed.made[part].text}",
                f"Run the cell that makes `{name}` again (it was cell [{maker.number}]), then this one.",
                sure=False,
            )
    return None


def _last_maker(name: str, cells: list[_Cell], until: int) -> int | None:
    return next((at for at in range(until - 1, -1, -1) if name in cells[at].made and not cells[at].raised), None)


def _finding(
    place: Location,
    name: str,
    words: str,
    fact: str,
    advice: str,
    sure: bool = True,
    changes: Sequence[Change] = (),
) -> Finding:
    return Finding(
        message=f"{place.spelled}: {words}",
        certainty="certain" if sure else "likely",
        location=place,
        culprit=Culprit(kind="name", name=name),
        evidence=[Evidence(fact="made by" if sure else "changed", value=fact[:300], source="CellStarted")],
        advice=[*(f"{change.title}." for change in changes), advice],
        changes=list(changes),
    )
