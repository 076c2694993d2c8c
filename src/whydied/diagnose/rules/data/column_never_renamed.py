"""A column is asked for by a name that an earlier `rename` was to give it and did not.

## What it detects
A `KeyError` of a column that is the new name in a `rename` of the program, where the table still has the old name, or
one that is written a little differently (blanks, capitals, a letter).

## Why it happens
`rename` passes over names that the table does not have, without a word. A file whose header changed, or one blank too
many in the old name, leaves the column as it was. The same comes of a `rename` whose result is not assigned, and of one
that is given a dictionary without `columns=`: that renames rows.

## Evidence
The columns of the table at the failure, recorded; the entry of the `rename`, from the source.

## How it is proved
The new name is missing, and a column like the old one is there: likely. The change is run before it is advised.

## Fix
The old name as the table has it; the result assigned; `columns=`.

## Known problems
New names that are put together at run time are not seen, nor are columns past the thirtieth of a table.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator
from typing import NamedTuple

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import Failing, failing
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.source.bindings import module_files
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.edit import Change, over, written_in
from whydied.source.origins.trails import root_name
from whydied.source.text import Source
from whydied.source.trees import function_at, walk, written

ROLE = "explanation"
YIELDS_TO = ("column-removed",)
_QUOTED = re.compile(r"'([^']+)'")
_ALIKE = 0.85
"""So alike two names are a slip of one another: a letter or two of a word."""


class _Entry(NamedTuple):
    """`old` is the name that a `rename` was to replace by the missing one; `is_named` says that the names are told to
    be those of columns."""

    file: str
    call: ast.Call
    old: ast.Constant
    is_named: bool


def check(case: Case) -> Finding | None:
    found = failing(case, "KeyError")
    columns = _columns(found) if found is not None else []
    if found is None or not columns:
        return None
    for wanted in _missed(found, columns):
        for entry in _entries(found, wanted):
            finding = _finding(found, entry, wanted, columns)
            if finding is not None:
                return finding
    return None


def _missed(found: Failing, columns: list[str]) -> list[str]:
    """The names that the exception quotes and the table lacks: one, or those of a list."""
    return [name for name in dict.fromkeys(_QUOTED.findall(found.link.message)) if name not in columns]


def _columns(found: Failing) -> list[str]:
    """The columns of the table that was asked, where it is one."""
    if not (found.link.wanted_in or "").endswith("DataFrame"):
        return []
    return [key[1:-1] for key in found.link.keys if key[:1] in "'\""]


def _entries(found: Failing, wanted: str) -> Iterator[_Entry]:
    """Those of the statements above the failing one, and of functions."""
    for file in module_files(found.sources, found.place.file):
        tree = found.sources[file].tree
        for entry in _entries_in(file, tree, wanted):
            line = entry.call.lineno
            same = function_at(tree, line) is function_at(tree, found.place.line)
            if file != found.place.file or line < found.place.line or not same:
                yield entry


def _entries_in(file: str, tree: ast.Module, wanted: str) -> Iterator[_Entry]:
    for call in walk(tree, ast.Call):
        if callee(call) != "rename" or not isinstance(call.func, ast.Attribute):
            continue
        named = passed_argument(call, "columns")
        given = named or passed_argument(call, "mapper") or passed_argument(call, "0")
        mapping = _written_out(tree, given)
        axis = passed_argument(call, "axis") or passed_argument(call, "1")
        for key, value in zip(mapping.keys, mapping.values, strict=True) if mapping is not None else ():
            if isinstance(key, ast.Constant) and isinstance(key.value, str) and getattr(value, "value", None) == wanted:
                yield _Entry(file, call, key, named is not None or axis is not None)


def _written_out(tree: ast.AST, given: ast.expr | None) -> ast.Dict | None:
    """The dictionary that is passed: there, or where the only line of the file stands that makes it."""
    if isinstance(given, ast.Name):
        made = [one.value for one in walk(tree, ast.Assign) if written(one.targets[0]) == given.id]
        given = made[0] if len(made) == 1 else None
    return given if isinstance(given, ast.Dict) else None


def _finding(found: Failing, entry: _Entry, wanted: str, columns: list[str]) -> Finding | None:
    old, source = str(entry.old.value), found.sources[entry.file]
    if old in columns:
        return _without_effect(found, entry, wanted, old, columns)
    near = _near(old, columns)
    if near is None:
        return None
    place = found.located(entry.file, entry.old.lineno)
    right = _quoted(source, entry.old, near)
    edit = over(source, entry.file, entry.old, right)
    return Finding(
        message=f"{prefix(place)}`rename` makes no column `{wanted}`: {_difference(old, near)}",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="column", name=old),
        evidence=[said(found.link), _shown(columns)],
        advice=[f"Write `{right}` in the `rename`; `errors='raise'` makes it refuse a name that is not there."],
        changes=[Change(title=_title(old, near), kind="near-name", edits=[edit])],
    )


def _without_effect(found: Failing, entry: _Entry, wanted: str, old: str, columns: list[str]) -> Finding | None:
    """The old name is still there: the renamed table was thrown away, or rows were renamed."""
    source, call = found.sources[entry.file], entry.call
    assert isinstance(call.func, ast.Attribute)
    table, text = written(call.func.value), written_in(source, call)
    place = found.located(entry.file, call.lineno)
    if not entry.is_named and call.args and passed_argument(call, "index") is None:
        why = f"`rename` is given a dictionary without `columns=` and renames rows: `{old}` keeps its name"
        first = call.args[0]
        right = f"columns={written_in(source, first)}"
        change = Change(title="Pass it as `columns=`", kind="argument", edits=[over(source, entry.file, first, right)])
        advice = "Pass the dictionary as `columns=`."
    elif _is_discarded(source.tree, call) and isinstance(call.func.value, ast.Name | ast.Attribute):
        why = f"`rename` returns a table with `{wanted}`, and it is not assigned: `{table}` keeps `{old}`"
        edit = over(source, entry.file, call, f"{table} = {text}")
        change = Change(title=f"Assign the result to `{table}`", kind="statement", edits=[edit])
        advice = f"Write `{table} = {table}.rename(…)`."
    else:
        return None
    return Finding(
        message=f"{prefix(place)}{why}",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="column", name=old),
        evidence=[said(found.link), _shown(columns)],
        advice=[advice],
        changes=[change],
    )


def _is_discarded(tree: ast.AST, call: ast.Call) -> bool:
    changed = passed_argument(call, "inplace")
    in_place = changed is not None and getattr(changed, "value", None) is not False
    return not in_place and bool(root_name(call)) and any(one.value is call for one in walk(tree, ast.Expr))


def _near(old: str, columns: list[str]) -> str | None:
    """The only column that has the same letters, else the only one that is a slip of it."""
    same = [one for one in columns if _letters(one) == _letters(old)]
    alike = [one for one in columns if difflib.SequenceMatcher(None, _letters(old), _letters(one)).ratio() >= _ALIKE]
    found = same or alike
    return found[0] if len(found) == 1 else None


def _letters(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold() or name


def _difference(old: str, near: str) -> str:
    """How the names differ; blanks are counted, since the eye does not see them."""
    if (blanks := _blanks(old, near)) is not None:
        return f"its `{near}` has {blanks[0]}, that of the table {blanks[1]}"
    return f"the table has no `{old}`, but `{near}`"


def _title(old: str, near: str) -> str:
    if (blanks := _blanks(old, near)) is not None:
        return f"Write `{near}` with {blanks[1]} instead of {blanks[0]}"
    return f"Write `{near}` instead of `{old}`"


def _blanks(old: str, near: str) -> tuple[str, str] | None:
    """The blanks of two names that differ in nothing else."""
    if "".join(old.split()) != "".join(near.split()):
        return None
    first, second = (sum(one.isspace() for one in name) for name in (old, near))
    words = [f"{count or 'no'} blank{'' if count == 1 else 's'}" for count in (first, second)]
    return (words[0], words[1]) if first != second else ("other blanks", "its own")


def _quoted(source: Source, node: ast.Constant, name: str) -> str:
    """A name in the quotes that the line has."""
    quote = written_in(source, node)[:1]
    plain = quote in ("'", '"') and quote not in name and "\\" not in name and name.isprintable()
    return f"{quote}{name}{quote}" if plain else repr(name)


def _shown(columns: list[str]) -> Evidence:
    return Evidence(fact="columns", value=", ".join(f"`{one}`" for one in columns)[:300], source="ExceptionRaised")
