"""The line that wrote a number which the program used elsewhere, or declares the option that gave it: behind names,
parameters and their defaults, attributes, settings (dictionaries, data classes, options of a command line), returned
values and other files. Pure.

Names are told apart by scope where that is plain (locals, parameters, imports) and else not at all, so a line counts
only if it says the very number that was recorded. Of several such lines none is taken.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from whydied.source.assignments import Assigned, assigned, targets, unpacked
from whydied.source.calls import bound_arguments, callee, own_names
from whydied.source.numbers import evaluate
from whydied.source.text import Source
from whydied.source.trees import Function, across, function_at, last_name, walk, within

_DEEPEST = 8
_MOST_FOLLOWED = 60


class Maker(NamedTuple):
    """A line that says a number, and the name that it gives it there. `is_passed` says that it is an argument of a
    call, and so of one use: anything else is a setting."""

    file: str
    line: int
    name: str
    is_passed: bool = False


class _Use(NamedTuple):
    """An expression of a file, and the number that it had."""

    file: str
    node: ast.expr
    value: int
    is_passed: bool = False


def maker(sources: Mapping[str, Source], file: str, node: ast.expr, value: int) -> Maker | None:
    """Where the number was written that an expression of a file had; None where it stands in the expression itself, is
    computed from more than one, or could be of several lines."""
    if isinstance(node, ast.Constant):
        return None
    found = set(_followed(sources, _Use(file, node, value), "", _DEEPEST))
    return found.pop() if len(found) == 1 else None


def option_behind(sources: Mapping[str, Source], file: str, node: ast.expr) -> tuple[str, ast.Call] | None:
    """The `add_argument` that declares the option of a command line which an expression has its value from; None where
    there are several."""
    found: dict[int, tuple[str, ast.Call]] = {}
    seen: set[tuple[str, str]] = set()
    waiting = [_Use(file, node, 0)]
    while waiting and len(seen) < _MOST_FOLLOWED:
        use = waiting.pop(0)
        if (use.file, ast.dump(use.node)) in seen:
            continue
        seen.add((use.file, ast.dump(use.node)))
        if isinstance(use.node, ast.Attribute):
            found |= {id(call): (where, call) for where, call in options(sources) if _declares(call, use.node.attr)}
        waiting += [other for other, _ in _behind(sources, use)]
    return next(iter(found.values())) if len(found) == 1 else None


def options(sources: Mapping[str, Source], name: str = "") -> list[tuple[str, ast.Call]]:
    """The declared options of command lines; those that are read by a name where one is given."""
    found = [one for one in across(sources, ast.Call) if last_name(one[1].func) == "add_argument"]
    return [one for one in found if _declares(one[1], name)] if name else found


def _declares(call: ast.Call, name: str) -> bool:
    named = [one.value for one in call.keywords if one.arg == "dest" and isinstance(one.value, ast.Constant)]
    return any(one.value == name for one in named) if named else bool(_option(call, name))


def _followed(sources: Mapping[str, Source], use: _Use, name: str, depth: int) -> Iterator[Maker]:
    node = use.node
    if evaluate(node, {}) is not None:
        if name and evaluate(node, {}) == use.value:
            yield Maker(use.file, node.lineno, name, use.is_passed)
        return
    if isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict):
        return
    for other, called in _behind(sources, use) if depth else ():
        yield from _followed(sources, other, called or name, depth - 1)


def _behind(sources: Mapping[str, Source], use: _Use) -> Iterator[tuple[_Use, str]]:
    """What an expression got its number from, each with the name that it has there."""
    node = use.node
    if isinstance(node, ast.Name):
        yield from _of_name(sources, use, node)
    elif isinstance(node, ast.Attribute):
        yield from _of_attribute(sources, node.attr, use.value)
    elif isinstance(node, ast.Subscript):
        key = node.slice.value if isinstance(node.slice, ast.Constant) else None
        yield from _of_item(sources, key, use.value) if isinstance(key, str) else ()
    elif isinstance(node, ast.BoolOp | ast.IfExp):
        parts = node.values if isinstance(node, ast.BoolOp) else [node.body, node.orelse]
        yield from ((use._replace(node=one), "") for one in parts)
    elif isinstance(node, ast.BinOp):
        yield from _of_sum(use, node)
    elif isinstance(node, ast.Call):
        yield from _of_call(sources, use, node)


def _of_name(sources: Mapping[str, Source], use: _Use, node: ast.Name) -> Iterator[tuple[_Use, str]]:
    tree = sources[use.file].tree
    function = function_at(tree, node.lineno)
    if function is not None:
        local = [one for one in assigned(node.id, function) if one.line <= node.lineno]
        if local:
            yield from _as_uses(local[-1:], use, node.id)
            return
        if node.id in own_names(function):
            yield from _of_parameter(sources, use, function, node.id)
            return
    own = [one for one in assigned(node.id, tree) if not isinstance(one.value, ast.Name) or one.value.id != node.id]
    if own:
        yield from _as_uses(own, use, node.id)
        return
    yield from _of_import(sources, use, tree, node.id)


def _as_uses(found: list[Assigned], use: _Use, name: str) -> Iterator[tuple[_Use, str]]:
    yield from ((use._replace(node=one.value, is_passed=False), name) for one in found)


def _of_import(sources: Mapping[str, Source], use: _Use, tree: ast.Module, name: str) -> Iterator[tuple[_Use, str]]:
    """A name of another of the program's files."""
    for imported in walk(tree, ast.ImportFrom):
        for alias in imported.names:
            if (alias.asname or alias.name) != name:
                continue
            module = (imported.module or "").rpartition(".")[2]
            for file, source in sources.items():
                if file != use.file and file.rsplit("/", 1)[-1] in (f"{module}.py", "__init__.py"):
                    for one in assigned(alias.name, source.tree):
                        yield _Use(file, one.value, use.value), alias.name


def _of_parameter(
    sources: Mapping[str, Source], use: _Use, function: Function, name: str
) -> Iterator[tuple[_Use, str]]:
    """What calls pass for a parameter, and its default."""
    called = {function.name, _owner(sources[use.file].tree, function)}
    for file, call in across(sources, ast.Call):
        if callee(call) in called and (given := bound_arguments(call, function).get(name)) is not None:
            yield _Use(file, given, use.value, is_passed=True), name
    if (default := default_of(function, name)) is not None:
        yield use._replace(node=default, is_passed=False), name


def _owner(tree: ast.AST, function: Function) -> str:
    """The class that a constructor makes objects of: it is called by that name."""
    if function.name != "__init__":
        return function.name
    return next((owner.name for owner in walk(tree, ast.ClassDef) if function in owner.body), function.name)


def default_of(function: Function, name: str) -> ast.expr | None:
    """The default of a parameter."""
    given = function.args
    plain = [one.arg for one in (*given.posonlyargs, *given.args)]
    found: dict[str, ast.expr | None] = dict(zip(reversed(plain), reversed(given.defaults), strict=False))
    found |= {one.arg: value for one, value in zip(given.kwonlyargs, given.kw_defaults, strict=True)}
    return found.get(name)


def _of_attribute(sources: Mapping[str, Source], name: str, value: int) -> Iterator[tuple[_Use, str]]:
    """An attribute of anything: of a class, of an object, of the options of a command line."""
    for file, owner in across(sources, ast.ClassDef):
        for node in within(owner):
            for one in _assigned_to(node, lambda target: isinstance(target, ast.Name) and target.id == name):
                yield _Use(file, one, value), name
    for file, node in across(sources, (ast.Assign, ast.AnnAssign)):
        for one in _assigned_to(node, lambda target: isinstance(target, ast.Attribute) and target.attr == name):
            yield _Use(file, one, value), name
    for file, call in across(sources, ast.Call):
        if last_name(call.func) in ("add_argument", "option"):
            yield from ((_Use(file, one, value), _option(call, name)) for one in _option_default(call, name))
        elif last_name(call.func) in _classes(sources) | {"Namespace", "SimpleNamespace"}:
            yield from ((_Use(file, one.value, value), name) for one in call.keywords if one.arg == name)


def _assigned_to(node: ast.AST, is_meant: Callable[[ast.expr], bool]) -> Iterator[ast.expr]:
    value = getattr(node, "value", None)
    if isinstance(node, ast.Assign | ast.AnnAssign) and value is not None:
        for target in targets(node):
            for one, given in unpacked(target, value):
                if is_meant(one):
                    yield given


def _classes(sources: Mapping[str, Source]) -> set[str]:
    return {owner.name for _, owner in across(sources, ast.ClassDef)}


def _option(call: ast.Call, name: str) -> str:
    """`--num-classes` for the attribute `num_classes`."""
    words = [one.value for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return next((word for word in words if word.lstrip("-").replace("-", "_") == name), "")


def _option_default(call: ast.Call, name: str) -> list[ast.expr]:
    return [one.value for one in call.keywords if one.arg == "default"] if _declares(call, name) else []


def _of_item(sources: Mapping[str, Source], key: str, value: int) -> Iterator[tuple[_Use, str]]:
    """An item of a dictionary, by its key."""
    for file, literal in across(sources, ast.Dict):
        for word, one in zip(literal.keys, literal.values, strict=True):
            if isinstance(word, ast.Constant) and word.value == key:
                yield _Use(file, one, value), repr(key)
    for file, call in across(sources, ast.Call):
        if callee(call) in ("dict", "update"):
            yield from ((_Use(file, one.value, value), repr(key)) for one in call.keywords if one.arg == key)
    for file, node in across(sources, ast.Assign):
        for one in _assigned_to(node, lambda target: isinstance(target, ast.Subscript) and _key(target) == key):
            yield _Use(file, one, value), repr(key)


def _key(target: ast.Subscript) -> object:
    return target.slice.value if isinstance(target.slice, ast.Constant) else None


def _of_sum(use: _Use, node: ast.BinOp) -> Iterator[tuple[_Use, str]]:
    """The part of `4 * classes` or `classes + 1` that is not a constant, with the number that it must have had."""
    left, right = evaluate(node.left, {}), evaluate(node.right, {})
    known = right if right is not None else left
    if (left is None) == (right is None) or not isinstance(known, int):
        return
    part = node.left if right is not None else node.right
    if isinstance(node.op, ast.Add):
        yield use._replace(node=part, value=use.value - known), ""
    elif isinstance(node.op, ast.Sub) and right is not None:
        yield use._replace(node=part, value=use.value + known), ""
    elif isinstance(node.op, ast.Mult) and known and use.value % known == 0:
        yield use._replace(node=part, value=use.value // known), ""


def _of_call(sources: Mapping[str, Source], use: _Use, call: ast.Call) -> Iterator[tuple[_Use, str]]:
    name = callee(call)
    if name == "int" and len(call.args) == 1:
        yield use._replace(node=call.args[0]), ""
    elif name == "len" and len(call.args) == 1:
        yield from _of_length(sources, use, call.args[0])
    elif name == "get" and call.args and isinstance(call.args[0], ast.Constant):
        key = call.args[0].value
        yield from _of_item(sources, key, use.value) if isinstance(key, str) else ()
        yield from ((use._replace(node=one), repr(key)) for one in call.args[1:2])
    else:
        for file, function in across(sources, ast.FunctionDef):
            if function.name == name:
                for node in within(function):
                    if isinstance(node, ast.Return) and node.value is not None:
                        yield _Use(file, node.value, use.value), name


def _of_length(sources: Mapping[str, Source], use: _Use, node: ast.expr) -> Iterator[tuple[_Use, str]]:
    """A list that was written out: its line stands for the number of its items."""
    for other, name in _behind(sources, use._replace(node=node)):
        literal = other.node
        if isinstance(literal, ast.List | ast.Tuple) and len(literal.elts) == use.value:
            counted = ast.copy_location(ast.Constant(use.value), literal)
            yield other._replace(node=counted), name
