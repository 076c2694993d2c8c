"""What the functions of the user's source give back. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from whydied.source.assignments import assigned
from whydied.source.text import Source, tree_or_empty
from whydied.source.trees import Function, across, last_name, nodes_of, nodes_on, walk, within, written

_DEEPEST = 5


class NoResult(NamedTuple):
    """A function that gives None. `owner` is the class that it is a method of; `expression_line` the line of the
    expression that it ends in, where that is a value to return."""

    file: str
    line: int
    name: str
    owner: str
    expression_line: int | None


def functions_without_result(sources: Mapping[str, Source]) -> list[NoResult]:
    found = []
    for file, source in sources.items():
        owners = {method: owner.name for owner in walk(source.tree, ast.ClassDef) for method in owner.body}
        for function in walk(source.tree, ast.FunctionDef):
            if not has_result(function):
                last = function.body[-1]
                line = last.lineno if isinstance(last, ast.Expr) and not result_name(function) else None
                found.append(NoResult(file, function.lineno, function.name, owners.get(function, ""), line))
    return found


def result_name(function: Function) -> str:
    """The variable that the last statement of a function assigns, or calls a method of that changes it
    (`model.compile(…)`) where the function made it."""
    last = function.body[-1]
    if isinstance(last, ast.Assign) and len(last.targets) == 1 and isinstance(last.targets[0], ast.Name):
        return last.targets[0].id
    if isinstance(last, ast.AugAssign) and isinstance(last.target, ast.Name):
        return last.target.id
    call = last.value if isinstance(last, ast.Expr) else None
    owner = call.func.value if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else None
    made = {node.id for node in walk(function, ast.Name) if isinstance(node.ctx, ast.Store)}
    return owner.id if isinstance(owner, ast.Name) and owner.id in made else ""


def ends_in_vain(function: Function) -> bool:
    """Whether a function gives nothing, and ends in a statement that only computes a variable of its own."""
    last = function.body[-1]
    if has_result(function) or not isinstance(last, ast.Assign | ast.AugAssign) or function.name == "__init__":
        return False
    outside = {name for one in ast.walk(function) if isinstance(one, ast.Global | ast.Nonlocal) for name in one.names}
    return result_name(function) not in ("", *outside)


class Returned(NamedTuple):
    """A part of what a function gives, as it is written, and the line of the `return`."""

    file: str
    line: int
    function: str
    text: str


def returned_part(sources: Mapping[str, Source], call: str, part: int) -> Returned | None:
    """The part of a tuple that the only `return` of a called function gives, where the program has one of that name."""
    called = tree_or_empty(call).body
    node = called[0].value if called and isinstance(called[0], ast.Expr) else None
    name = last_name(node.func) if isinstance(node, ast.Call) else ""
    found = [(file, one) for file, one in across(sources, ast.FunctionDef) if one.name == name]
    if len(found) != 1:
        return None
    file, function = found[0]
    values = [one.value for one in within(function) if isinstance(one, ast.Return)]
    whole = values[0] if len(values) == 1 else None
    if not isinstance(whole, ast.Tuple) or not -len(whole.elts) <= part < len(whole.elts):
        return None
    return Returned(file, whole.lineno, function.name, written(whole.elts[part]))


def has_result(function: Function) -> bool:
    """Whether a function returns or yields something, not counting the functions in it."""
    return any(
        isinstance(node, (ast.Yield, ast.YieldFrom)) or (isinstance(node, ast.Return) and node.value is not None)
        for node in within(function)
    )


def none_branches(function: Function) -> list[tuple[int, str]]:
    """The `return`s of a function that give None, each with its line and the branch that it stands in: an `except` or
    an `if` as it is written. One outside of any branch is not among them."""
    found = []
    for branch in within(function):
        if not isinstance(branch, ast.ExceptHandler | ast.If):
            continue
        for one in branch.body:
            if isinstance(one, ast.Return) and (one.value is None or _is_none(one.value)):
                found.append((one.lineno, _header(branch)))
    return found


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _header(branch: ast.ExceptHandler | ast.If) -> str:
    if isinstance(branch, ast.If):
        return f"if {written(branch.test)}"
    return f"except {written(branch.type)}" if branch.type is not None else "except"


def first_made(sources: Mapping[str, Source], file: str, function: str, name: str) -> tuple[str, int] | None:
    """The file and line that first give a variable of a function its value: in the user's own function that is called
    for it, where that returns a variable of its own."""
    for _ in range(_DEEPEST):
        scopes = [node for node, _ in nodes_of(sources[file].tree) if getattr(node, "name", "") == function]
        found = assigned(name, scopes[0] if scopes else sources[file].tree) if file in sources else []
        if not found:
            return None
        made = found[0]
        inner = _own_function(sources, made.value)
        if inner is None:
            return file, made.line
        where, called = inner
        returned = [node.value for node in within(called) if isinstance(node, ast.Return)]
        if len(returned) != 1 or not isinstance(returned[0], ast.Name):
            return file, made.line
        file, function, name = where, called.name, returned[0].id
    return None


def _own_function(sources: Mapping[str, Source], value: ast.expr) -> tuple[str, Function] | None:
    """The only function of the program's that a call calls."""
    name = last_name(value.func) if isinstance(value, ast.Call) else ""
    found = [(file, one) for file, one in across(sources, ast.FunctionDef) if name and one.name == name]
    return found[0] if len(found) == 1 else None


class Gap(NamedTuple):
    """A way through a function that ends without a value: the line of the statement that it goes past or that ends it,
    and the conditions there, as they are written. `is_written` says that there is a `return` on it."""

    line: int
    conditions: list[str]
    is_written: bool = False


def gaps(function: Function) -> list[Gap]:
    """The ways through a function that give None although others give a value; none where it has no result."""
    if not has_result(function) or any(isinstance(one, ast.Yield | ast.YieldFrom) for one in within(function)):
        return []
    found = [Gap(line, [header], True) for line, header in none_branches(function)]
    passed = _passed(function.body)
    return [*found, Gap(passed.lineno, _conditions(passed))] if passed is not None else found


def _passed(body: list[ast.stmt]) -> ast.stmt | None:
    """The last statement of a block that may be left without a `return`; None where there is no such way."""
    last = body[-1] if body else None
    if last is None or isinstance(last, ast.Return | ast.Raise | ast.Continue | ast.Break):
        return None
    if isinstance(last, ast.If) and last.orelse:
        inner = [_passed(last.body), _passed(last.orelse)]
        one = next((part for part in inner if part is not None), None)
        # Of a chain of `elif` it is the chain that has no way for the rest.
        return last if isinstance(one, ast.If) and one in last.orelse else one
    if isinstance(last, ast.With | ast.AsyncWith):
        return _passed(last.body)
    if isinstance(last, ast.Try):
        blocks = [last.orelse or last.body, *(one.body for one in last.handlers)]
        return next((one for block in blocks if (one := _passed(block)) is not None), None)
    if isinstance(last, ast.Match):
        return last
    if isinstance(last, ast.While) and isinstance(last.test, ast.Constant) and last.test.value:
        return last if any(isinstance(one, ast.Break) for one in ast.walk(last)) else None
    return None if _exits(last) else last


def _exits(node: ast.stmt) -> bool:
    call = node.value if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else None
    return call is not None and last_name(call.func) in ("exit", "_exit", "abort", "quit", "fail")


def _conditions(node: ast.stmt) -> list[str]:
    found = []
    while isinstance(node, ast.If):
        found.append(f"if {written(node.test)}")
        if len(node.orelse) != 1:
            break
        node = node.orelse[0]
    if isinstance(node, ast.For | ast.While):
        inner = [one for one in within(node) if isinstance(one, ast.If)]
        found += [
            f"if {written(one.test)}" for one in inner if any(isinstance(sub, ast.Return) for sub in ast.walk(one))
        ]
    return found


def is_taken_apart(source: Source | None, line: int, text: str) -> bool:
    """Whether the statement at a line unpacks what an expression gives into several names."""
    found = [one for one in nodes_on(source, line) if isinstance(one, ast.Assign)] if source is not None else []
    unpacks = [one for one in found if any(isinstance(target, ast.Tuple | ast.List) for target in one.targets)]
    return any(written(one.value) == text for one in unpacks)
