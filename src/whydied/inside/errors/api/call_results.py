"""At an uncaught exception: what a call of a library had given that the failing line took for something else; runs in
the user's process.

Invariant: nothing of the user's is called. The value is looked at by its type and its `__dict__`; the documentation is
that of the installed function.
"""

from __future__ import annotations

import ast
import inspect
import re
from types import TracebackType
from typing import Any

from whydied import redact
from whydied.inside.errors import operands
from whydied.inside.errors.framework import value_sources
from whydied.inside.errors.stack_steps import Step, frame_of, steps_of
from whydied.inside.guest.lookup import Missing, evaluate, instance_dict
from whydied.inside.guest.ownership import Ownership
from whydied.inside.guest.value_facts import describe, type_name
from whydied.records import HeldPart, ResultSeen

LARGEST_TEXT = 400
LARGEST_CALL = 120
MOST_PARTS = 4
MOST_KEYS = 8
_ERRORS = (TypeError, AttributeError, KeyError, IndexError, ValueError)
_RETURNS = re.compile(r"^(?:Returns?|Yields?):?[ \t]*\n(?:-+\n)?", re.MULTILINE)
_NEXT_PART = re.compile(r"^(?:[A-Z][\w ]*:|[A-Z][\w ]*\n-{3,})[ \t]*$", re.MULTILINE)


def look(index: int, error: BaseException, trace: TracebackType | None, ownership: Ownership) -> ResultSeen | None:
    """The value that one exception of a chain is about, where the line of the user's raised it itself."""
    steps = steps_of(trace, None, ownership) if isinstance(error, _ERRORS) else []
    if not steps or steps[-1].file is None or steps[-1].trace is None:
        return None
    failure = operands.failing(steps[-1].trace, steps[-1].file)
    users = [step for step in steps if step.file is not None]
    for subject in _subjects(failure.node) if failure is not None else ():
        value = evaluate(subject, steps[-1].frame)
        made = value_sources.made_by(subject, steps[-1], users[:-1])
        if isinstance(value, Missing) or made is None:
            continue
        call, step = made
        function = evaluate(call.func, step.frame)
        if isinstance(function, (Missing, type)) or not _is_librarys(function, ownership):
            continue
        return _seen(index, subject, value, call, step, function)
    return None


def _subjects(node: ast.AST) -> list[ast.expr]:
    """What a failing expression takes for something that it may not be."""
    if isinstance(node, ast.Subscript | ast.Attribute):
        return [node.value]
    if isinstance(node, ast.Call):
        return [node.func, *node.args[:1]]
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.For | ast.AsyncFor):
        return [node.iter]
    return [node.value] if isinstance(node, ast.Assign | ast.AugAssign) else []


def _is_librarys(function: Any, ownership: Ownership) -> bool:
    code = getattr(inspect.unwrap(function) if callable(function) else function, "__code__", None)
    module = getattr(function, "__module__", None)
    if code is not None:
        return not ownership.is_user_path(ownership.resolve(code.co_filename))
    return isinstance(module, str) and module.partition(".")[0] not in ("builtins", "__main__", "")


def _seen(index: int, subject: ast.expr, value: Any, call: ast.Call, step: Step, function: Any) -> ResultSeen:
    assert step.file is not None
    return ResultSeen(
        link=index,
        name=redact.text(ast.unparse(subject)[:LARGEST_CALL]),
        type=describe(value).type,
        call=redact.text(ast.unparse(call)[:LARGEST_CALL]),
        made=frame_of(step.file, call.lineno, step.function),
        function=str(getattr(function, "__qualname__", "")),
        says=documented_result(inspect.getdoc(function) or ""),
        parts=_parts(value),
    )


def documented_result(text: str) -> str:
    """What a documentation says below "Returns", on one line."""
    begin = _RETURNS.search(text)
    if begin is None:
        return ""
    rest = text[begin.end() :]
    end = _NEXT_PART.search(rest)
    said = " ".join(rest[: end.start() if end else len(rest)].split())
    if len(said) <= LARGEST_TEXT:
        return said
    cut = said[:LARGEST_TEXT].rpartition(". ")[0]
    return f"{cut}." if cut else f"{said[:LARGEST_TEXT]}…"


def _parts(value: Any) -> list[HeldPart]:
    """The items of a collection, or the public attributes that hold something: what was meant may be one of them."""
    items = value.items() if type(value) is dict else enumerate(value) if type(value) in (list, tuple) else ()
    found = [
        HeldPart(name=f"[{redact.text(repr(key))}]", type=type_name(type(item)), length=describe(item).length)
        for key, item in list(items)[:MOST_PARTS]
        if type(key) in (int, str)
    ]
    for name, part in instance_dict(value).items():
        if name.startswith("_") or type(part) not in (dict, list, tuple) or not part:
            continue
        keys = [redact.text(key) for key in list(part)[:MOST_KEYS] if type(key) is str] if type(part) is dict else []
        found.append(HeldPart(name=name, type=type_name(type(part)), length=len(part), keys=keys))
    return sorted(found, key=lambda part: -len(part.keys))[:MOST_PARTS]
