"""A function of the program has no `return`, and its result is used.

## What it detects
An attribute, an item or a call of `None`, or `None` among numbers, where the value was made by a call of a function of
the program's own that returns nothing.

## Why it happens
The last line of the function lacks its `return`; or what should be a class was begun with `def`.

## Evidence
The value on the failing line, which is None, the line that made it, and the function, read from the source.

## How it is proved
The value was seen to be None, its last assignment is a call of that function, and that has no `return`: certain.

## Fix
The `return`, or `class` instead of `def`.

## Known problems
A function that returns something in some branches only is not told.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors import class_changes
from whydied.diagnose.errors.usage import place_of, root_link, said
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.records import Frame, RaisedException
from whydied.source.assignments import last_assignment, stored_names
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, Edit
from whydied.source.edits.programs.definition_edits import last_statement
from whydied.source.results import has_result, result_name
from whydied.source.trees import Function, across, scope_at, tree_of

ROLE = "explanation"
YIELDS_TO = ("layer-misuse",)


def check(case: Case) -> Finding | None:
    link, place = root_link(case), place_of(case)
    if link is None or place is None or link.type not in ("AttributeError", "TypeError", "ValueError"):
        return None
    if "None" not in link.message:
        return None
    for name in _nones(link):
        made = _made(case, name, place.file, place.line)
        call = getattr(made, "value", None)
        if made is None or not isinstance(call, ast.Call):
            continue
        function = _function(case, callee(call))
        if function is None or has_result(function[1]):
            continue
        file, node = function
        where = case.locate(Frame(file=file, line=node.lineno, function=node.name, user=True))
        at = line_words(Frame(file=place.file, line=made.lineno, function=""))
        return Finding(
            message=f"{prefix(where)}`{node.name}` has no `return`, so `{name}` on {at} is None",
            certainty="certain",
            location=where,
            culprit=Culprit(kind="function", name=node.name),
            evidence=[
                said(link),
                Evidence(fact=f"`{name}` on {line_words(place)}", value="None", source="ExceptionRaised"),
            ],
            advice=[_advice(node, name)],
            changes=_changes(case, file, node, name),
        )
    return None


def _changes(case: Case, file: str, node: Function, name: str) -> list[Change]:
    source = case.sources[file]
    header = source.lines[node.lineno - 1]
    if _is_class(node):
        at = header.index("def")
        edit = Edit(file, (node.lineno, at), (node.lineno, at + len("def")), "class")
        return [Change(title=f"Write `class {node.name}`", kind="definition", edits=[edit])]
    found = class_changes.return_result(case, file, node.lineno)
    result = _result(node, name)
    if found or not result:
        return found
    added = last_statement(source, file, node, f"return {result}")
    return (
        [Change(title=f"End `{node.name}` with `return {result}`", kind="definition", edits=[added])] if added else []
    )


def _nones(link: RaisedException) -> list[str]:
    return [one.text for one in link.operands if one.value == "None" and one.text.isidentifier()]


def _made(case: Case, name: str, file: str, line: int) -> ast.stmt | None:
    """The last assignment of a variable above a line, where it has no other value than that one."""
    tree = tree_of(case.sources, file)
    scope = scope_at(tree, line)
    found = last_assignment(name, scope, line) or (last_assignment(name, tree, 1 << 30) if scope is not tree else None)
    simple = isinstance(found, ast.Assign) and all(isinstance(one, ast.Name) for one in found.targets)
    return found if simple else None


def _function(case: Case, name: str) -> tuple[str, Function] | None:
    found = [(file, node) for file, node in across(case.sources, ast.FunctionDef) if node.name == name]
    return found[0] if len(found) == 1 and name else None


def _is_class(node: Function) -> bool:
    inner = {one.name for one in node.body if isinstance(one, ast.FunctionDef)}
    return "__init__" in inner and len(inner) == len(node.body) - isinstance(node.body[0], ast.Expr)


def _result(node: Function, name: str) -> str | None:
    stored = stored_names(node)
    return result_name(node) or (name if name in stored else next(iter(stored)) if len(stored) == 1 else None)


def _advice(node: Function, name: str) -> str:
    if _is_class(node):
        bases = ", ".join(one.arg for one in node.args.args)
        return f"Write `class {node.name}({bases}):`: it has the methods of a class, and `def` makes it a function."
    last = node.body[-1]
    if isinstance(last, ast.Expr) and not result_name(node):
        return f"Put `return` before the expression on line {last.lineno}."
    result = _result(node, name)
    return f"End it with `return {result}`." if result else "End it with `return` and its result."
