"""A variable took the name of a function, class or module that is used later.

## What it detects
A call of something that cannot be called, or a missing attribute, where the name is also that of a function, class or
module: of the program, imported, built into Python, or a method of the object.

## Why it happens
`for train, test in folds.split(x)` beside `def train(…)`, `list = […]`, `tf = 0.3`, `self.predict = …` in a class with
a method `predict`: the later binding replaces the first. In a notebook it stays after the cell was corrected, until the
kernel is restarted.

## Evidence
The type that the name had, recorded at the exception; both lines that bind it, from the source.

## How it is proved
The value was seen, and the source has one line that gives the name such a value and one that defines it: certain.
Where several lines could have given it, the last one that ran before is named: likely.

## Fix
Another name for the variable.

## Known problems
Names that are made by `exec`, `globals()` or `from module import *` are not seen.
"""

from __future__ import annotations

import ast
import builtins
from typing import NamedTuple

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import Failing, failing, words_at
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Finding
from whydied.source.bindings import Binding, bindings, cell_number, module_files
from whydied.source.edits.edit import Change, Edit, over
from whydied.source.trees import across, function_at, holds, scope_at, tree_of, walk, within, written
from whydied.texts import python_errors

ROLE = "explanation"
_MADE_BY = {"loop": "the loop", "with": "the `with`", "handler": "the handler", "assignment": "the assignment"}


class _Shadow(NamedTuple):
    """`file` and `one` take the name; `first` says what had it before."""

    name: str
    file: str
    one: Binding
    first: str
    is_only: bool
    is_method: bool = False


def check(case: Case) -> Finding | None:
    found = failing(case, "TypeError", "AttributeError")
    shadow = _shadow(found) if found is not None else None
    if found is None or shadow is None:
        return None
    name, line = shadow.name, shadow.one.line
    place = found.located(shadow.file, line)
    operand = found.operand(name)
    kind = operand.type.rpartition(".")[2] if operand is not None else "another"
    used = f" on {words_at(found.place.file, found.place.line)}" if place != found.place else ""
    return Finding(
        message=f"{prefix(place)}{_MADE_BY[shadow.one.kind]} gives the name `{name}` to a value of type {kind}, and "
        f"{shadow.first} had that name: it is used{used}",
        certainty="certain" if shadow.is_only else "likely",
        location=place,
        culprit=Culprit(kind="name", name=name),
        evidence=[said(found.link)],
        advice=[
            f"Give the variable on {words_at(shadow.file, line)} another name"
            + (f", and restart the kernel or `del {name}`." if place.cell is not None else ".")
        ],
        changes=_renamed(found, shadow),
    )


def _shadow(found: Failing) -> _Shadow | None:
    called = found.link.type == "TypeError" and python_errors.NOT_CALLABLE.pattern.search(found.link.message)
    missing = found.link.type == "AttributeError" and python_errors.VALUE_WITHOUT_ATTRIBUTE.pattern.search(
        found.link.message
    )
    told = called or missing
    if not told:
        return None
    for node in found.expressions:
        owner = (
            node.func if called and isinstance(node, ast.Call) else node if isinstance(node, ast.Attribute) else None
        )
        if owner is None:
            continue
        if called and isinstance(owner, ast.Attribute):
            shadow = _of_method(found, owner)
            if shadow is not None:
                return shadow
        name = (
            owner
            if isinstance(owner, ast.Name)
            else owner.value
            if missing and isinstance(owner, ast.Attribute)
            else None
        )
        if isinstance(name, ast.Name) and _is(found, name.id, told[1]):
            shadow = _of_name(found, name.id, bool(called))
            if shadow is not None:
                return shadow
    return None


def _is(found: Failing, name: str, kind: str) -> bool:
    """Whether the name had the type that the exception speaks of."""
    operand = found.operand(name)
    return operand is None or operand.type.rpartition(".")[2] == kind.rpartition(".")[2]


def _of_name(found: Failing, name: str, called: bool) -> _Shadow | None:
    seen = found.trails.bound(found.place.file, found.place.line, name)
    values = [(file, one) for file, one in seen if not one.is_callable]
    if not values or (seen and seen[0][1].is_callable):
        return None
    file, one = values[0]
    first = _defined(found, name, called)
    if first is None and hasattr(builtins, name) and called:
        first = f"Python's own `{name}`"
    if first is None:
        return None
    return _Shadow(name, file, one, first, len(values) == 1)


def _defined(found: Failing, name: str, called: bool) -> str | None:
    """What defines or imports a name in the module, in words. What is imported from a module may be data: then only a
    call tells that it was a function."""
    for file in module_files(found.sources, found.place.file):
        for one in bindings(name, tree_of(found.sources, file)):
            if one.kind == "definition":
                kind = "class" if isinstance(one.node, ast.ClassDef) else "function"
                return f"the {kind} of {words_at(file, one.line)}"
            if one.kind == "import" and (called or isinstance(one.node, ast.Import)):
                return f"the import of {words_at(file, one.line)}"
    return None


def _of_method(found: Failing, called: ast.Attribute) -> _Shadow | None:
    """An attribute that an object was given in the place of a method of its class."""
    for file, owner in across(found.sources, ast.ClassDef):
        method = [one for one in owner.body if isinstance(one, ast.FunctionDef) and one.name == called.attr]
        if not method:
            continue
        given = [
            Binding("assignment", node, node.lineno, node.value)
            for node in walk(owner, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Attribute) and target.attr == called.attr and written(target.value) == "self"
        ]
        if given:
            first = f"the method of {words_at(file, method[0].lineno)}"
            return _Shadow(called.attr, file, given[-1], first, len(given) == 1, is_method=True)
    return None


def _renamed(found: Failing, shadow: _Shadow) -> list[Change]:
    """The variable with another name, wherever it is bound or read and not called."""
    name, one = shadow.name, shadow.one
    source = found.sources[shadow.file]
    if not found.is_editable(shadow.file) or shadow.is_method or not shadow.is_only:
        return []
    new = f"{name}_values"
    scope = scope_at(source.tree, one.line)
    if scope is source.tree and cell_number(shadow.file) is not None:
        # Other cells read it by this name.
        return []
    called = {id(call.func) for call in walk(scope, ast.Call)}
    modules = {id(node.value) for node in walk(scope, ast.Attribute)} if "import" in shadow.first else set()
    names = [node for node in within(scope) if isinstance(node, ast.Name) and node.id == name]
    if any(node.id == new for node in walk(source.tree, ast.Name)):
        return []
    edits: list[Edit] = [
        over(source, shadow.file, node, new)
        for node in names
        if (node.lineno >= one.line or holds(one.node, node.lineno)) and id(node) not in called | modules
        if function_at(source.tree, node.lineno) is function_at(source.tree, one.line)
    ]
    return [Change(title=f"Write `{new}` for the variable", kind="name", edits=edits)] if edits else []
