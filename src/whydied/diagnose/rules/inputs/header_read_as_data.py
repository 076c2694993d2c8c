"""The first line of a file, which names its columns, or the empty text behind its last line, is read as data.

## What it detects
A `ValueError` of a text that is no number, in a loop over the lines of a file, where that text is in the file's first
line, or is empty and the file was split at its new lines. Also a path that ends in a name of that line, which a
function of the program's could not read and gave None for.

## Why it happens
The file was saved with a header, and the program reads all lines alike.

## Evidence
The text, from the exception, or the path that is not there; the first line of the file, read at the failure; the loop,
from the source.

## How it is proved
The text is a word of the first line, and the loop begins with that line: likely.

## Fix
`next(file)` before the loop.

## Known problems
A file that another process changed since is read as it is now.
"""

from __future__ import annotations

import ast
import re

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import Failing, fact, failing, words_at
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.records import FileLooked, TextFileSeen
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, line_before, over
from whydied.source.trees import across, around, tree_of, written
from whydied.texts import python_errors

ROLE = "explanation"
YIELDS_TO = ("texts-as-numbers",)


def check(case: Case) -> Finding | None:
    found = failing(case, "ValueError", "AttributeError", "TypeError")
    if found is not None and found.link.type != "ValueError":
        return _path_of_header(found)
    told = (
        (python_errors.NO_INTEGER.search(found.link.message) or python_errors.NO_FLOAT.search(found.link.message))
        if found is not None
        else None
    )
    if found is None or told is None:
        return None
    text = told[1].strip("'\"")
    if not text:
        return _last_line(found)
    return _named_in_header(found, text)


def _named_in_header(found: Failing, text: str) -> Finding | None:
    for file in found.case.records.all(TextFileSeen):
        words = [word.strip().strip('"') for word in re.split(r"[,;\t| ]", file.first_line)]
        if text in words and len(words) > 1 and not any(word.replace(".", "").isdigit() for word in words):
            loop = _loop(found)
            return _finding(found, text, file, loop) if loop is not None else None
    return None


def _path_of_header(found: Failing) -> Finding | None:
    """A file that is not there, whose name is one of the columns': what should have read it gave None."""
    looked = found.case.records.all(FileLooked)
    if not looked or looked[-1].content or not any(one.value == "None" for one in found.link.operands):
        return None
    return _named_in_header(found, looked[-1].path.rstrip("/").rsplit("/", 1)[-1])


def _last_line(found: Failing) -> Finding | None:
    """The empty text behind the last new line of a file that was split at them."""
    split = [
        (file, call)
        for file, call in across(found.sources, ast.Call)
        if callee(call) == "split"
        and "read()" in written(call.func)
        and written(call.args[0] if call.args else call) == repr("\n")
    ]
    if len(split) != 1 or not isinstance(split[0][1].func, ast.Attribute):
        return None
    file, call = split[0]
    assert isinstance(call.func, ast.Attribute)
    place = found.located(file, call.lineno)
    right = f"{written(call.func.value)}.splitlines()"
    edit = over(found.sources[file], file, call, right)
    return Finding(
        message=f"{prefix(place)}the file ends with a new line, so the last part of `split` is empty, and "
        f"{words_at(found.place.file, found.place.line)} reads it as a number",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="expression", name=written(call)),
        evidence=[said(found.link)],
        advice=[f"Write `{right}`."],
        changes=[Change(title="Split the lines", kind="expression", edits=[edit])] if found.is_editable(file) else [],
    )


def _loop(found: Failing) -> ast.For | None:
    """The loop over the lines: the innermost one whose items come from an open file."""
    tree = tree_of(found.sources, found.place.file)
    for loop in reversed(around(tree, found.place.line, ast.For)):
        steps = found.trails.trail(found.place.file, loop.lineno, loop.iter)
        values = [loop.iter, *(step.value for step in steps)]
        if any("open(" in written(value) or "reader(" in written(value) for value in values):
            return loop
    return None


def _looked(found: Failing) -> list[Evidence]:
    looked = found.case.records.all(FileLooked) if found.link.type != "ValueError" else []
    return [fact("file that is not there", one.path, "FileLooked") for one in looked[-1:]]


def _finding(found: Failing, text: str, file: TextFileSeen, loop: ast.For) -> Finding:
    place = found.located(found.place.file, loop.lineno)
    name = written(loop.iter)
    base = file.path.rsplit("/", 1)[-1]
    source = found.sources[found.place.file]
    # What could not be read is None, and that is what the exception speaks of.
    none = ", and no file that could be read" if found.link.type != "ValueError" else ""
    changes = []
    if isinstance(loop.iter, ast.Name) and found.is_editable(found.place.file):
        edit = line_before(source, found.place.file, loop.lineno, f"next({name})")
        changes = [Change(title="Skip the first line", kind="statement", edits=[edit])]
    return Finding(
        message=f"{prefix(place)}the first line of `{base}` names its columns, and the loop reads it as data: {text!r} "
        f"on {words_at(found.place.file, found.place.line)} is one of the names{none}",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="file", name=file.path, value=text),
        evidence=[said(found.link), fact(f"first line of `{base}`", file.first_line, "TextFileSeen"), *_looked(found)],
        advice=[f"Skip it: `next({name})` before the loop."],
        changes=changes,
    )
