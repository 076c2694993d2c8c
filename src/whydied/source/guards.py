"""What a function demands before it goes on: the conditions around a `raise`, which way each of them went, and the
expressions that its message quotes. Pure; runs in the user's process after an exception, on a library's source.

A condition is taken apart only where that is logic: each part of an `and` that held, each part of an `or` that did not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from whydied.source.assignments import assigned, targets
from whydied.source.calls import callee, own_names
from whydied.source.trees import Function, around, function_at, holds, walk

_EXITS = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_MOST = 12


class Guard(NamedTuple):
    """A test, and whether the line is reached where it holds. `encloses` says that the line stands inside of its
    statement; else the function leaves before the line where the test goes the other way."""

    test: ast.expr
    holds: bool
    encloses: bool = True


class Demand(NamedTuple):
    """What a line wants of an expression: `kind` is "type" (an instance of `wanted`), "callable", "member" (one of
    `wanted`), "suffix" (a text that ends in it), "attribute" (an object that has it), "pairs" (a sequence of them),
    "given" (not None), "true" or "false". `wanted` is an expression of the same function."""

    kind: str
    subject: ast.expr
    wanted: ast.expr | None = None


def guards(tree: ast.AST, line: int) -> list[Guard]:
    """The conditions that led to a line of a function: those around it first, nearest first."""
    found: list[Guard] = []
    body = getattr(function_at(tree, line) or tree, "body", [])
    while body:
        at = next((number for number, one in enumerate(body) if holds(one, line)), None)
        if at is None:
            break
        for before in body[:at]:
            found += [Guard(test, False, encloses=False) for test in _left(before)]
        inner = body[at]
        body = []
        for name in ("body", "orelse", "finalbody"):
            block = getattr(inner, name, None)
            if isinstance(block, list) and any(holds(one, line) for one in block):
                body = block
                if isinstance(inner, ast.If):
                    found.append(Guard(inner.test, name == "body"))
        for handler in getattr(inner, "handlers", []):
            body = handler.body if holds(handler, line) and not body else body
        for one in getattr(inner, "cases", []):
            body = one.body if any(holds(part, line) for part in one.body) else body
    nearest = found[::-1]
    return sorted(nearest, key=lambda one: not one.encloses)


def _left(statement: ast.AST) -> Iterator[ast.expr]:
    """The tests after which a statement leaves the function or the loop, in a chain of `elif` up to the first that
    does not."""
    while isinstance(statement, ast.If) and statement.body and isinstance(statement.body[-1], _EXITS):
        yield statement.test
        if len(statement.orelse) != 1:
            break
        statement = statement.orelse[0]


def parts(guard: Guard) -> Iterator[Guard]:
    """A condition taken apart into those that are known to have held or not."""
    test = guard.test
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from parts(guard._replace(test=test.operand, holds=not guard.holds))
    elif isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) == guard.holds:
        for one in test.values:
            yield from parts(guard._replace(test=one))
    else:
        yield guard


def demands(tree: ast.AST, line: int) -> list[Demand]:
    """What a line that raises wanted, the nearest condition first."""
    function = function_at(tree, line)
    found: list[Demand] = []
    for guard in guards(tree, line):
        for part in parts(guard):
            found += [one for one in _demand(part, function, line) if one not in found]
    return found[:_MOST]


def _demand(guard: Guard, function: Function | None, line: int) -> Iterator[Demand]:
    test, held = guard.test, guard.holds
    if isinstance(test, ast.Call):
        yield from _of_call(test, held)
    elif isinstance(test, ast.Compare) and len(test.ops) == 1:
        yield from _of_comparison(test, held)
    elif isinstance(test, ast.Name | ast.Attribute):
        yield Demand("false" if held else "true", test)
    subject = next(iter(_of_call(test, held)), None) if isinstance(test, ast.Call) else None
    looked = subject.subject if subject is not None and subject.kind == "callable" else None
    if isinstance(test, ast.Compare) and _is_none(test, held):
        looked = test.left
    if isinstance(looked, ast.Name) and function is not None:
        yield from _looked_up(looked.id, function, line)


def _of_call(test: ast.Call, held: bool) -> Iterator[Demand]:
    name = callee(test)
    if held:
        return
    if name == "isinstance" and len(test.args) == 2:
        yield Demand("type", test.args[0], test.args[1])
    elif name == "callable" and test.args:
        yield Demand("callable", test.args[0])
    elif name == "hasattr" and len(test.args) == 2:
        yield Demand("attribute", test.args[0], test.args[1])
    elif name == "endswith" and isinstance(test.func, ast.Attribute) and test.args:
        yield Demand("suffix", _plain(test.func.value), test.args[0])


def _of_comparison(test: ast.Compare, held: bool) -> Iterator[Demand]:
    operator, right = test.ops[0], test.comparators[0]
    if (isinstance(operator, ast.NotIn) and held) or (isinstance(operator, ast.In) and not held):
        yield Demand("member", _plain(test.left), right)
    elif _is_none(test, held):
        yield Demand("given", test.left)


def _is_none(test: ast.Compare, held: bool) -> bool:
    operator, right = test.ops[0], test.comparators[0]
    is_none = isinstance(right, ast.Constant) and right.value is None
    return is_none and ((isinstance(operator, ast.Is) and held) or (isinstance(operator, ast.IsNot) and not held))


def _looked_up(name: str, function: Function, line: int) -> Iterator[Demand]:
    """What was looked up in a table and not found there: `found = TABLE.get(key)`."""
    for made in reversed([one for one in assigned(name, function) if one.line <= line]):
        call = made.value
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr == "get"
            and call.args
        ):
            yield Demand("member", _plain(call.args[0]), call.func.value)


def _plain(node: ast.expr) -> ast.expr:
    """What `str(x)` and `x.lower()` are of."""
    while isinstance(node, ast.Call):
        if callee(node) in ("str", "fspath", "to_snake_case") and len(node.args) == 1:
            node = node.args[0]
        elif isinstance(node.func, ast.Attribute) and not node.args and node.func.attr in ("lower", "upper", "strip"):
            node = node.func.value
        else:
            break
    return node


def quoted(tree: ast.AST, line: int) -> list[ast.expr]:
    """The expressions that the message of the `raise` around a line is made with."""
    raises = around(tree, line, ast.Raise)
    if not raises:
        return []
    found: list[ast.expr] = [one.value for one in walk(raises[-1], ast.FormattedValue)]
    for call in walk(raises[-1], ast.Call):
        found += call.args if callee(call) == "format" else []
    for node in walk(raises[-1], ast.BinOp):
        if isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant):
            found += node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
    return [_plain(one) for one in found]


def unpacked_pairs(tree: ast.AST, line: int) -> list[Demand]:
    """What a line takes apart as a sequence of pairs: `a, b = zip(*pairs)`, `for a, b in pairs`."""
    found = [Demand("pairs", one.iter) for one in walk(tree, ast.For) if one.lineno == line and _is_pair(one.target)]
    for node in walk(tree, ast.Assign):
        value = node.value
        if node.lineno != line or not _is_pair(node.targets[0]) or not isinstance(value, ast.Call):
            continue
        given = value.args[0] if callee(value) == "zip" and len(value.args) == 1 else None
        found += [Demand("pairs", given.value)] if isinstance(given, ast.Starred) else []
    return found


def _is_pair(target: ast.expr) -> bool:
    return isinstance(target, ast.Tuple) and len(target.elts) == 2


def kept_as(function: Function, attribute: str) -> str | None:
    """The parameter of a constructor that an attribute is made of; None where it is more than one, or none."""
    names = own_names(function) - {"self"}
    found = {
        name.id
        for node in walk(function, (ast.Assign, ast.AnnAssign))
        for target in targets(node)
        if isinstance(target, ast.Attribute) and target.attr == attribute and (value := getattr(node, "value", None))
        for name in walk(value, ast.Name)
        if name.id in names
    }
    return found.pop() if len(found) == 1 else None


def spent_by(owner: ast.ClassDef, attribute: str) -> list[str]:
    """The attributes whose being false lets a method set another one to None: `if not self.keep: self.state = None`."""
    found: list[str] = []
    for node in walk(owner, ast.Assign):
        target = node.targets[0]
        is_none = isinstance(node.value, ast.Constant) and node.value.value is None
        if not (is_none and isinstance(target, ast.Attribute) and target.attr == attribute):
            continue
        for guard in guards(owner, node.lineno):
            for part in parts(guard):
                if guard.encloses and not part.holds and isinstance(part.test, ast.Attribute):
                    found.append(part.test.attr)
    return list(dict.fromkeys(found))
