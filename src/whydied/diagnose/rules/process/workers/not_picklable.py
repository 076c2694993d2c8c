"""Something that was to go to another process cannot be pickled.

## What it detects
An exception that Python raised while it pickled what a worker process was to get, and the part of it that was refused.

## Why it happens
What is given to a process that was not forked for it (a pool, a queue, a process that is spawned) is pickled there and
made again in the worker. An open file, a lock, a generator, a connection, a session cannot be made again; a lambda and
a function inside of another have no name under which the worker could find them.

## Evidence
The path from what was given to the part that was refused, found while the frames of the exception were alive.

## How it is proved
The part is the object whose own method raised, the only kind that the message names, or a function without a name of
its own: certain.

## Fix
Give the worker what it needs to make the thing itself, such as the path of the file, and make it there; define
functions at the top level of a module.

## Known problems
Parts that only `__getstate__` or `__reduce__` would give are not looked at.
"""

from __future__ import annotations

import ast
import re

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors.usage import place_of, root_link, said, text_of
from whydied.diagnose.finding import Culprit, Finding, Location
from whydied.records import Frame, PartRefused
from whydied.source.assignments import targets
from whydied.source.calls import callee
from whydied.source.trees import across, located, walk, written
from whydied.texts import python_errors

ROLE = "explanation"

# What `multiprocessing.Process` keeps of its arguments.
_OF_PROCESS = re.compile(r"\._(?P<word>args|kwargs)\[(?P<key>\d+|'[^']*')\]")
_LOCKS = ("lock", "RLock", "Condition", "Event", "Semaphore", "queue", "Queue", "_thread._local", "local")


def check(case: Case) -> Finding | None:
    found, link = case.records.last(PartRefused), root_link(case)
    if found is None or link is None or _is_another(found, text_of(link)):
        return None
    failed = place_of(case)
    own = any(one.name == found.owner for _, one in across(case.project, ast.ClassDef))
    place, name = _made(case, found, failed, own)
    return Finding(
        message=f"{prefix(place)}{name} cannot be pickled, and so cannot go to another process"
        + (f" with the {found.owner} that holds it" if own else ""),
        certainty="certain",
        location=place,
        culprit=Culprit(kind=found.type, name=name.partition("`")[2].partition("`")[0] or None),
        evidence=[said(link)],
        advice=[_advice(found, own, name)],
    )


def _is_another(found: PartRefused, message: str) -> bool:
    """Whether the exception names a type that is not that of the part."""
    told = python_errors.NOT_PICKLED.pattern.search(message)
    return told is not None and told["type"] not in (found.type, found.type.removeprefix("builtins."))


def _handed_over(case: Case, found: PartRefused) -> tuple[Location, str] | None:
    """The program's only call that makes a process with that argument, and the argument's words."""
    told = _OF_PROCESS.fullmatch(found.path)
    if told is None:
        return None
    given = [
        (file, call, node)
        for file, call in across(case.project, ast.Call)
        if callee(call) in ("Process", found.owner)
        for word in call.keywords
        if word.arg == told["word"]
        for node in _items(word.value, told["key"])
    ]
    if len(given) != 1:
        return None
    file, call, node = given[0]
    return located(case.project, file, call.lineno), written(node)


def _items(held: ast.expr, key: str) -> list[ast.expr]:
    if isinstance(held, ast.Tuple | ast.List) and key.isdigit():
        return held.elts[int(key) : int(key) + 1]
    if isinstance(held, ast.Dict):
        return [
            value
            for word, value in zip(held.keys, held.values, strict=True)
            if isinstance(word, ast.Constant) and repr(word.value) == key
        ]
    return []


def _made(case: Case, found: PartRefused, failed: Location | None, own: bool) -> tuple[Location | None, str]:
    """The line that makes the part, and what it is called there."""
    if found.function:
        frame = Frame(file=found.file, line=found.line, function=found.function, user=True)
        inner = found.function.rpartition(".")[2]
        name = "the lambda" if inner == "<lambda>" else f"the function `{inner}`, which is defined inside another,"
        return (case.locate(frame) if found.file in case.sources else failed), name
    kind = found.type.removeprefix("builtins.")
    handed = _handed_over(case, found)
    if handed is not None:
        return handed[0], f"`{handed[1]}`, a {kind},"
    if not own:
        return failed, f"a {kind}"
    attribute = f"self.{found.attribute}"
    lines = [
        (file, node.lineno)
        for file, one in across(case.project, ast.ClassDef)
        if one.name == found.owner
        for node in walk(one, ast.stmt)
        if any(written(target) == attribute for target in targets(node))
    ]
    place = located(case.project, *lines[0]) if lines else failed
    return place, f"`{attribute}`, a {kind},"


def _advice(found: PartRefused, own: bool, name: str) -> str:
    if found.function:
        return "Define it with `def` at the top level of the module: a worker finds functions by their module and name."
    held = f"`{name.split('`')[1]}`" if "`" in name else "it"
    if found.type.endswith(_LOCKS):
        return (
            f"Leave {held} out of what the worker gets (`__getstate__`), or make it in the worker; a lock or queue "
            "that processes share comes from `multiprocessing.Manager()`."
        )
    if found.type.endswith("generator"):
        return f"Give the worker what {held} is made of, or a list of the items, and make the generator there."
    return (
        f"Make {held} in the worker, where it is first used, from what it was made of (the path of a file), and do not "
        f"keep one in {found.owner if own else 'what the worker gets'}."
    )
