"""More objects are read from a file than were written into it.

## What it detects
An `EOFError` of `pickle.load` where the same open file was read before, and the program writes fewer objects into it.

## Why it happens
Each `pickle.load` reads one object. What was not dumped is not there.

## Evidence
The failing line and the one that read before it; the lines that write, from the source.

## How it is proved
The file was at its end: certain. How many objects the program writes is read from the source: likely.

## Fix
As many `dump` as `load`, or one of a tuple.

## Known problems
A file that another program wrote is told by the exception alone.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import Failing, failing, words_at
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Finding
from whydied.source.calls import callee
from whydied.source.trees import across, around, tree_of, walk, written

ROLE = "explanation"


def check(case: Case) -> Finding | None:
    found = failing(case, "EOFError")
    if found is None:
        return None
    tree = tree_of(found.sources, found.place.file)
    loads = [one for one in found.expressions if isinstance(one, ast.Call) and _is(one, "load")]
    blocks = around(tree, found.place.line, ast.With)
    if not loads or not loads[0].args or not blocks:
        return None
    handle = written(loads[0].args[0])
    reads = [
        one for one in walk(blocks[-1], ast.Call) if _is(one, "load") and one.args and written(one.args[0]) == handle
    ]
    before = [one for one in reads if one.lineno < loads[0].lineno]
    path = _path(blocks[-1])
    writes = [one for one in _dumps(found) if one[0] == path] if path else []
    if not before or not writes or len(writes) >= len(reads):
        return None
    return _finding(found, handle, path, writes, len(reads))


def _is(call: ast.Call, name: str) -> bool:
    return callee(call) == name and "pickle" in written(call.func)


def _path(block: ast.With) -> str:
    """What is opened, as it is written."""
    calls = [item.context_expr for item in block.items if isinstance(item.context_expr, ast.Call)]
    return written(calls[0].args[0]) if calls and callee(calls[0]) == "open" and calls[0].args else ""


def _dumps(found: Failing) -> list[tuple[str, str, ast.Call]]:
    """The calls that write an object, each after the path that is open and its file."""
    return [
        (_path(block), file, call)
        for file, block in across(found.sources, ast.With)
        for call in walk(block, ast.Call)
        if _is(call, "dump")
    ]


def _finding(found: Failing, handle: str, path: str, writes: list[tuple[str, str, ast.Call]], reads: int) -> Finding:
    _, file, call = writes[-1]
    number = "one object is" if len(writes) == 1 else f"{len(writes)} objects are"
    at = words_at(file, call.lineno)
    names = [written(one) for one in found.expressions if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
    missing = names[0] if names else "the other"
    return Finding(
        message=f"{prefix(found.place)}`{handle}` is read {reads} times, and {number} written into `{path}` ({at})",
        certainty="likely",
        location=found.place,
        culprit=Culprit(kind="file", name=path.strip("'\"")),
        evidence=[said(found.link)],
        advice=[f"Write {missing} too: another `pickle.dump(…, {written(call.args[1])})` behind {at}."]
        if len(call.args) > 1
        else ["Write as many objects as are read."],
    )
