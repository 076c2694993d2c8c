"""Edits that create the state of a `tf.function` once: variables, layers and optimizers that its body makes anew in
each call. Pure.

Those of a method become attributes that the constructor makes, those of a function names above it. What is made of the
function's own values, or within a loop or a condition, stays where it is.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from whydied.source.edits.edit import Edit, end_of, over, start_of, written_in
from whydied.source.edits.programs.class_edits import method_before
from whydied.source.edits.programs.definition_edits import last_statement, method_in
from whydied.source.edits.shapes.library_names import bound_names
from whydied.source.edits.statement_edits import stands_alone, statement_at
from whydied.source.text import Source
from whydied.source.trees import Function, around, dotted_name, function_at, holds, last_name, walk, within, written

_STATE = re.compile(
    r"(?:tensorflow|keras|tf_keras)\.(?:[\w.]*\.)?"
    r"(?:Variable|Sequential|(?:layers|optimizers|metrics)\.(?:\w+\.)*[A-Z]\w*)"
)
_BASES = re.compile(r"Layer|Model|Module|Optimizer|Metric")
_RESERVED = frozenset(
    {"name", "dtype", "path", "input", "output", "inputs", "outputs", "weights", "variables", "trainable", "metrics"}
    | {"optimizer", "loss", "losses", "layers", "built", "submodules", "trainable_variables", "trainable_weights"}
)
"""Attributes that Keras or TensorFlow has a meaning for."""


class Created(NamedTuple):
    """`names` is how the function writes them afterwards; `of` is the constructor's class, "" above a function."""

    names: list[str]
    of: str
    edits: list[Edit]


class _Made(NamedTuple):
    """A creation; `target` is what the statement assigns it to, None where it is used within an expression."""

    call: ast.Call
    statement: ast.stmt
    target: ast.Name | ast.Attribute | None


def created_once(source: Source, file: str, line: int) -> Created | None:
    """All that the function around a line makes and need not make anew."""
    function = function_at(source.tree, line)
    if function is None:
        return None
    owner, own = _owner(source, function)
    made = [one for one in _creations(source, function) if _is_free(function, one, owner, own)]
    failing = [one for one in state_calls(source, function) if holds(one, line)]
    if not made or any(all(one is not part.call for part in made) for one in failing):
        return None
    if owner is None:
        return _above(source, file, function, made)
    return _in_constructor(source, file, owner, function, own, made)


def _owner(source: Source, function: Function) -> tuple[ast.ClassDef | None, str]:
    """The class of a method, and what the method calls its object."""
    classes = [one for one in around(source.tree, function.lineno, ast.ClassDef) if function in one.body]
    kept = [last_name(one) for one in function.decorator_list]
    names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    if not classes or not names or "staticmethod" in kept or "classmethod" in kept:
        return None, ""
    return classes[-1], names[0]


def state_calls(source: Source, function: Function) -> list[ast.Call]:
    """The calls of a function that make variables, layers, models or optimizers, outer ones alone."""
    bound = bound_names(source.tree)
    own = {one.name for one in walk(source.tree, ast.ClassDef) if any(_BASES.search(written(b)) for b in one.bases)}
    found = [one for one in within(function) if isinstance(one, ast.Call) and _is_state(one, bound, own)]
    inner = {id(part) for one in found for part in ast.walk(one) if part is not one}
    return sorted((one for one in found if id(one) not in inner), key=lambda one: (one.lineno, one.col_offset))


def made_by_method(source: Source, line: int) -> tuple[ast.Call, ast.ClassDef] | None:
    """What a line of a method makes, or uses of what the method has made, and the class; not of its constructor."""
    function = function_at(source.tree, line)
    owner, own = _owner(source, function) if function is not None else (None, "")
    if function is None or owner is None or function.name in ("__init__", "build") or not own:
        return None
    used = {one.id for one in walk(statement_at(source, line) or function, ast.Name)}
    kept = [one.value for one in walk(function, ast.Assign) if used & {_target(one)}]
    made = next((one for one in state_calls(source, function) if holds(one, line) or one in kept), None)
    return (made, owner) if made is not None else None


def _target(node: ast.Assign) -> str:
    target = node.targets[0]
    return target.id if isinstance(target, ast.Name) else ""


def _is_state(call: ast.Call, bound: dict[str, str], own: set[str]) -> bool:
    name = dotted_name(call.func) or ""
    first, _, rest = name.partition(".")
    whole = ".".join(part for part in (bound.get(first, ""), rest) if part)
    return name in own or (first in bound and _STATE.fullmatch(whole) is not None)


def _creations(source: Source, function: Function) -> Iterator[_Made]:
    """Those in statements that each call runs once."""
    calls = state_calls(source, function)
    for statement in _always(function.body):
        inner = [
            part
            for field in ast.iter_child_nodes(statement)
            if not isinstance(field, ast.stmt)
            for part in ast.walk(field)
        ]
        repeated = any(isinstance(one, ast.comprehension | ast.IfExp | ast.Lambda) for one in inner)
        for call in calls:
            if not any(call is one for one in inner):
                continue
            target = statement.targets[0] if isinstance(statement, ast.Assign) and statement.value is call else None
            if isinstance(target, ast.Name | ast.Attribute) and isinstance(statement, ast.Assign):
                if len(statement.targets) == 1 and stands_alone(source, statement):
                    yield _Made(call, statement, target)
            elif target is None and not repeated:
                yield _Made(call, statement, None)


def _always(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        if isinstance(statement, ast.With):
            yield statement
            yield from _always(statement.body)
        elif not hasattr(statement, "body"):
            yield statement


def _is_free(function: Function, made: _Made, owner: ast.ClassDef | None, own: str) -> bool:
    """Whether what is made depends on nothing that the function has of its own, and has one value in it."""
    stored = [one.id for one in walk(function, ast.Name) if isinstance(one.ctx, ast.Store | ast.Del)]
    given = {one.arg for one in walk(function.args, ast.arg)}
    inner = {one.arg for one in walk(made.call, ast.arg)}
    inner |= {one.id for one in walk(made.call, ast.Name) if isinstance(one.ctx, ast.Store)}
    used = {one.id for one in walk(made.call, ast.Name) if isinstance(one.ctx, ast.Load)} - inner
    if used & ({*stored, *given} - {own}) or any(isinstance(one, ast.Yield | ast.Await) for one in ast.walk(made.call)):
        return False
    declared = {name for one in within(function) if isinstance(one, ast.Global | ast.Nonlocal) for name in one.names}
    if isinstance(made.target, ast.Name) and (made.target.id in declared or stored.count(made.target.id) != 1):
        return False
    if isinstance(made.target, ast.Attribute) and (owner is None or last_name(made.target.value) != own):
        return False
    return owner is None or _is_known(owner, own, made.call, used)


def _is_known(owner: ast.ClassDef, own: str, call: ast.Call, used: set[str]) -> bool:
    """Whether the constructor has all that a call uses, by the same names."""
    begun = method_in(owner, "__init__")
    kept = {
        one.id for node in owner.body for one in walk(node, ast.Name) if isinstance(node, ast.Assign | ast.AnnAssign)
    }
    inside: set[str] = set()
    if begun is not None:
        if any(isinstance(one, ast.Return) for one in within(begun)) or _first(begun) != own:
            return False
        kept |= {one.attr for one in walk(begun, ast.Attribute) if isinstance(one.ctx, ast.Store)}
        inside = {one.arg for one in walk(begun.args, ast.arg)} - {own}
        inside |= {one.id for one in walk(begun, ast.Name) if isinstance(one.ctx, ast.Store)}
    read = [one for one in walk(call, ast.Attribute) if isinstance(one.value, ast.Name) and one.value.id == own]
    bare = sum(one.id == own for one in walk(call, ast.Name)) - len(read)
    return not bare and all(one.attr in kept for one in read) and not inside & used


def _first(function: Function) -> str:
    return next((one.arg for one in (*function.args.posonlyargs, *function.args.args)), "")


def _in_constructor(
    source: Source, file: str, owner: ast.ClassDef, function: Function, own: str, made: list[_Made]
) -> Created | None:
    taken = {one.attr for one in walk(owner, ast.Attribute)} | {last_name(one) or _name(one) for one in owner.body}
    names, lines, edits = [], [], []
    for one in made:
        wanted = f"own_{_wanted(one)}" if owner.bases and _wanted(one) in _RESERVED else _wanted(one)
        attribute = one.target.attr if isinstance(one.target, ast.Attribute) else free_name(wanted, taken)
        taken.add(attribute)
        name = f"{own}.{attribute}"
        changed = _used(source, file, function, one, name)
        if changed is None:
            return None
        names.append(name)
        lines.append(f"{name} = {_moved(source, one)}")
        edits += changed
    begun = method_in(owner, "__init__")
    if begun is not None:
        added = last_statement(source, file, begun, "\n".join(lines))
        return Created(names, owner.name, [added, *edits]) if added is not None else None
    if not isinstance(function, ast.FunctionDef):
        return None
    given = (f"{own}, *args, **kwargs", ["super().__init__(*args, **kwargs)"]) if owner.bases else (own, [])
    body = "\n".join(f"    {line}" for part in [*given[1], *lines] for line in part.split("\n"))
    first = next(one for one in owner.body if isinstance(one, ast.FunctionDef))
    added = method_before(source, file, first, first, f"def __init__({given[0]}):\n{body}\n")
    return Created(names, owner.name, [added, *edits])


def _above(source: Source, file: str, function: Function, made: list[_Made]) -> Created | None:
    """Before the function and its decorators, in whatever that stands in."""
    outer = [one for one in around(source.tree, function.lineno, ast.stmt) if isinstance(one, Function)]
    scope: ast.AST = max((one for one in outer if one is not function), key=lambda one: one.lineno, default=source.tree)
    taken = {one.id for one in within(scope) if isinstance(one, ast.Name)} | set(bound_names(source.tree))
    taken |= {_name(one) for one in within(scope)}
    if isinstance(scope, Function):
        taken |= {one.arg for one in walk(scope.args, ast.arg)}
    inside = {one.id for one in walk(function, ast.Name)} | {one.arg for one in walk(function, ast.arg)}
    names, lines, edits = [], [], []
    for one in made:
        wanted = _wanted(one)
        name = free_name(wanted, taken if isinstance(one.target, ast.Name) else taken | inside)
        if name != wanted and name in inside:
            return None
        taken.add(name)
        changed = _used(source, file, function, one, name)
        if changed is None:
            return None
        names.append(name)
        lines.append(f"{name} = {_moved(source, one)}")
        edits += changed
    first = min([function.lineno, *(one.lineno for one in function.decorator_list)])
    indent = source.lines[function.lineno - 1][: start_of(source, function)[1]]
    text = "".join(f"{indent}{one}\n" for part in lines for one in part.split("\n"))
    return Created(names, "", [Edit(file, (first, 0), (first, 0), text + ("\n" if indent else "\n\n")), *edits])


def _used(source: Source, file: str, function: Function, made: _Made, name: str) -> list[Edit] | None:
    """The function without the creation, and with the name for it. None where it is written in a text."""
    if made.target is None:
        return [over(source, file, made.call, name)]
    taken = _without(source, file, function, made.statement)
    if isinstance(made.target, ast.Attribute):
        return [taken]
    uses = [one for one in walk(function, ast.Name) if one.id == made.target.id and one is not made.target]
    if any(made.target.id in {arg.arg for arg in walk(one.args, ast.arg)} for one in walk(function, ast.Lambda)):
        return None
    if any(written_in(source, one) != one.id for one in uses):
        return None
    return [taken, *(over(source, file, one, name) for one in uses if name != one.id)]


def _without(source: Source, file: str, function: Function, statement: ast.stmt) -> Edit:
    """The statement left out, with one of two empty lines around it; `pass` where a block has no other."""
    if any(getattr(block, "body", None) == [statement] for block in ast.walk(function)):
        return Edit(file, start_of(source, statement), end_of(source, statement), "pass")
    first, last = statement.lineno, statement.end_lineno or statement.lineno
    around_it = (*source.lines[first - 2 : first - 1], *source.lines[last : last + 1])
    if len(around_it) == 2 and not any(line.strip() for line in around_it):
        last += 1
    return Edit(file, (first, 0), (last + 1, 0), "")


def _moved(source: Source, made: _Made) -> str:
    """What makes it, as it is written, with its further lines as far to the left as its first; a comment behind an
    assignment goes with it."""
    text = written_in(source, made.call)
    indent = len(source.lines[made.statement.lineno - 1]) - len(source.lines[made.statement.lineno - 1].lstrip())
    first, *others = text.split("\n")
    moved = "\n".join([first, *(line[min(indent, len(line) - len(line.lstrip())) :] for line in others)])
    behind = source.lines[(made.call.end_lineno or 1) - 1][end_of(source, made.call)[1] :]
    return moved + (behind.rstrip() if made.target is not None and behind.strip().startswith("#") else "")


def _wanted(made: _Made) -> str:
    if made.target is not None:
        return last_name(made.target)
    name = last_name(made.call.func)
    parts = [
        f"_{letter}" if at and letter.isupper() and name[at - 1].islower() else letter for at, letter in enumerate(name)
    ]
    return "".join(parts).lower()


def _name(node: ast.AST) -> str:
    return node.name if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) else ""


def free_name(name: str, taken: set[str]) -> str:
    number, free = 2, name
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    return free
