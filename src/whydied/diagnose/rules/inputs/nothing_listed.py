"""A listing of files is empty, and what is made of it has nothing in it.

## What it detects
An error of an index, a shape or an empty sequence in a function in which a list that `glob`, `listdir` or a filter of
them gave has no items.

## Why it happens
The path or the pattern matches nothing: another folder, another suffix, another working directory.

## Evidence
The length of the list, recorded with the frame; the line that lists, and where its path comes from, from the source.

## How it is proved
The list was seen to be empty: certain. That the path is wrong is an inference: likely.

## Fix
The path, where it is written.

## Known problems
A listing that was filtered down to nothing by the program is told with the line that lists.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import Failing, fact, failing, words_at
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Finding
from whydied.source.bindings import Binding
from whydied.source.calls import callee, method_calls
from whydied.source.origins.trails import root_name
from whydied.source.origins.value_makers import option_behind
from whydied.source.trees import around, scope_at, tree_of, walk, written

ROLE = "explanation"
_LISTING = frozenset({"listdir", "glob", "iglob", "rglob", "scandir", "iterdir"})


def check(case: Case) -> Finding | None:
    found = failing(case, "IndexError", "ValueError", "ZeroDivisionError", "StopIteration", "AxisError")
    if found is None:
        return None
    filtered = _filtered(found)
    if filtered is not None:
        return filtered
    for frame in [one for one in found.link.frames if one.user][::-1][:3]:
        for local in frame.locals:
            if local.length != 0 or local.type not in ("list", "tuple"):
                continue
            for file, one in found.trails.bound(frame.file, frame.line, local.name)[:1]:
                call = _listing(one)
                if call is not None:
                    return _finding(found, file, one, local.name, call)
    return None


def _filtered(found: Failing) -> Finding | None:
    """An array without rows, made of a list that one condition in a loop lets nothing into."""
    for node in [one for one in found.expressions if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)]:
        data = found.looked(node.id)
        if data is None or (data.shape[:1] != [0] if data.shape is not None else data.length != 0):
            continue
        steps = found.trails.trail(found.place.file, found.place.line, node)
        last = steps[-1] if steps else None
        if last is None or not isinstance(last.value, ast.List) or last.value.elts:
            continue
        tree = tree_of(found.sources, last.file)
        filled = [
            call
            for owner, call in method_calls(ast.walk(scope_at(tree, last.line)), ("append", "extend"))
            if written(owner) == last.name
        ]
        tests = around(tree, filled[0].lineno, ast.If) if len(filled) == 1 else []
        if not tests or not around(tree, tests[-1].lineno, ast.For):
            continue
        place = found.located(last.file, tests[-1].lineno)
        return Finding(
            message=f"{prefix(place)}nothing passes `{written(tests[-1].test)}`, so `{last.name}` stays empty, and "
            f"{words_at(found.place.file, found.place.line)} has no data",
            certainty="likely",
            location=place,
            culprit=Culprit(kind="expression", name=last.name),
            evidence=[said(found.link), fact(f"`{node.id}`", f"shape {data.shape}")],
            advice=["Compare it with what the loop really gives: another suffix, another case, another folder."],
        )
    return None


def _listing(one: Binding) -> ast.Call | None:
    calls = walk(one.value, ast.Call) if one.value is not None else []
    return next((call for call in calls if callee(call) in _LISTING), None)


def _finding(found: Failing, file: str, one: Binding, name: str, call: ast.Call) -> Finding:
    path = call.args[0] if call.args else call.func
    place = found.located(file, one.line)
    written_at = _written(found, file, one.line, path)
    known = []
    if written_at is not None:
        where, line, text = written_at
        known = [fact("path", f"`{text}`, {words_at(where, line)}", "source")]
        place = found.located(where, line)
    listed = f"`{written(call)}` ({words_at(file, one.line)})" if written_at is not None else f"`{written(call)}`"
    failed = words_at(found.place.file, found.place.line)
    at = f", so {failed} has no data" if place != found.place else ""
    return Finding(
        message=f"{prefix(place)}{listed} finds no files: `{name}` is empty{at}",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="expression", name=name),
        evidence=[said(found.link), *known],
        advice=[
            "Write the folder and the suffix that the files have; a relative path counts from the working directory."
        ],
    )


def _written(found: Failing, file: str, line: int, path: ast.expr) -> tuple[str, int, str] | None:
    """The line that writes the path: a text, or the option of a command line that gives it."""
    for node in [path, *walk(path, (ast.Name, ast.Attribute))]:
        if not isinstance(node, ast.Name | ast.Attribute) or not root_name(node):
            continue
        steps = found.trails.trail(file, line, node)
        for step in steps:
            if isinstance(step.value, ast.Constant) and isinstance(step.value.value, str):
                return step.file, step.line, step.value.value
        last = steps[-1] if steps else None
        option = option_behind(found.sources, last.file, last.value) if last is not None else None
        if option is not None:
            default = next((one.value for one in option[1].keywords if one.arg == "default"), None)
            text = default.value if isinstance(default, ast.Constant) else ""
            return option[0], option[1].lineno, str(text)
    return None
