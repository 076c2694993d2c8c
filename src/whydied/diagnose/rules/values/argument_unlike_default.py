"""A function of the program's own was given another kind of value than its default is.

## What it detects
A `TypeError` or `AttributeError` about a parameter, or an attribute that keeps one, of a function or class of the
program's own, where the call passes something else than a collection and the default is one: a single callback where
the default is an empty tuple.

## Why it happens
The parameter is meant to hold several things, and one was passed by itself.

## Evidence
The type of the value at the failing line; the call that passed it and the default of the parameter, from the source.

## How it is proved
That the types differ was seen; that the default says what is wanted is an inference: likely.

## Fix
The value in a collection of the default's kind.

## Known problems
A default of None says nothing.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import Failing, failing, words_at
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.records import Operand
from whydied.source.calls import own_names
from whydied.source.edits.edit import Change, over
from whydied.source.origins.trails import Step
from whydied.source.origins.value_makers import default_of
from whydied.source.trees import across, written

ROLE = "explanation"
_KINDS = {ast.Tuple: "tuple", ast.List: "list", ast.Dict: "dict", ast.Set: "set"}
_COLLECTIONS = ("tuple", "list", "dict", "set", "str", "ndarray", "NoneType", "generator")
_FORMS = {"tuple": "({},)", "list": "[{}]"}


def check(case: Case) -> Finding | None:
    found = failing(case, "TypeError", "AttributeError")
    for operand in found.link.operands if found is not None else ():
        finding = _of(found, operand) if found is not None else None
        if finding is not None:
            return finding
    return None


def _of(found: Failing, operand: Operand) -> Finding | None:
    node = found.expression(operand.text)
    kind = operand.type.rpartition(".")[2]
    if not isinstance(node, ast.Name | ast.Attribute) or kind in _COLLECTIONS:
        return None
    steps = found.trails.trail(found.place.file, found.place.line, node)
    for at, step in enumerate(steps):
        if not step.is_passed:
            continue
        # The name that it is passed as, which its attribute or the statement itself has.
        name = step.name or operand.text.rpartition(".")[2]
        default = _default(found, name, steps[at - 1] if at else None)
        if default is not None and default[0] != kind:
            return _finding(found, operand, step, name, *default)
    return None


def _default(found: Failing, name: str, behind: Step | None) -> tuple[str, str] | None:
    """The kind and the text of the collection that a parameter of that name has as its default, where all functions
    with such a parameter that the value can have gone through agree."""
    defaults = set()
    for _, function in across(found.sources, ast.FunctionDef):
        if name in own_names(function) and (behind is None or _is_in(function, behind) or function.name == "__init__"):
            value = default_of(function, name)
            if value is not None and type(value) in _KINDS:
                defaults.add((_KINDS[type(value)], written(value)))
    return defaults.pop() if len(defaults) == 1 else None


def _is_in(function: ast.AST, step: Step) -> bool:
    return getattr(function, "lineno", 0) <= step.line <= (getattr(function, "end_lineno", 0) or 0)


def _joined_with(found: Failing, text: str) -> str:
    """The kind of collection that the failing line adds to the value."""
    for node in found.expressions:
        if isinstance(node, ast.BinOp) and text in (written(node.left), written(node.right)):
            other = node.right if written(node.left) == text else node.left
            return _KINDS.get(type(other), "")
    return ""


def _finding(found: Failing, operand: Operand, step: Step, name: str, kind: str, default: str) -> Finding:
    where = found.located(step.file, step.line)
    text = written(step.value)
    given = operand.type.rpartition(".")[2]
    at = words_at(found.place.file, found.place.line)
    wanted = _joined_with(found, operand.text) or kind
    right = _FORMS[wanted].format(text) if wanted in _FORMS else ""
    changes = []
    if right and found.is_editable(step.file):
        edit = over(found.sources[step.file], step.file, step.value, right)
        changes = [Change(title=f"Pass `{right}` as `{name}`", kind="argument", edits=[edit])]
    return Finding(
        message=f"{prefix(where)}`{name}` is given `{text}`, one {given}, where a {kind} is the default (`{default}`) "
        f"and is used on {at}",
        certainty="likely",
        location=where,
        culprit=Culprit(kind="argument", name=name),
        evidence=[said(found.link), Evidence(fact=f"`{operand.text}` on {at}", value=given, source="ExceptionRaised")],
        advice=[f"Pass `{right}`." if right else f"Pass a {kind} as `{name}`."],
        changes=changes,
    )
