"""Arguments that a call lacks, where a name in scope is just that. Pure."""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.errors.calls.refused_values import failing_call
from whydied.records import ApiCalled
from whydied.source.calls import own_names
from whydied.source.edits.call_edits import add_argument
from whydied.source.edits.edit import Change, Edit, start_of
from whydied.source.text import Source
from whydied.source.trees import Function, around, last_name, walk, within, written


class Known(NamedTuple):
    """`text` is the call as it should be."""

    text: str
    change: Change


def known(case: Case, called: ApiCalled, missing: list[str]) -> Known | None:
    """The call with what it lacks, where all of that is known on its line."""
    call = failing_call(case, called)
    if call is None or called.frame is None or any(isinstance(one, ast.Starred) for one in call.args):
        return None
    source, file = case.sources[called.frame.file], called.frame.file
    names = [one for at, one in enumerate(called.parameters) if at > 0 or one not in ("self", "cls")]
    if called.defined is None and not set(missing) <= {*names, *called.accepted}:
        # Not of this call: one further inside lacks it.
        return None
    shifted = _shifted(source, file, call, names, missing)
    if shifted is not None:
        return shifted
    values = [_value(source, call, name, names.index(name) if name in names else None) for name in missing]
    given = [value for value in values if value is not None]
    if len(given) != len(missing) or set(given) & {written(one) for one in call.args}:
        return None
    in_order = names[len(call.args) : len(call.args) + len(missing)] == missing and not call.keywords
    pairs = zip(missing, given, strict=True)
    text = ", ".join(given) if in_order else ", ".join(f"{name}={value}" for name, value in pairs)
    return _with(source, file, call, text, None)


def _with(source: Source, file: str, call: ast.Call, text: str, at: int | None) -> Known:
    """The call with more arguments: before the one at a place, else behind all but those that `**` spreads."""
    parts: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    spread = (place for place, one in enumerate(parts) if isinstance(one, ast.keyword) and one.arg is None)
    at = next(spread, len(parts)) if at is None else at
    texts = [written(one) for one in parts]
    whole = f"{written(call.func)}({', '.join([*texts[:at], text, *texts[at:]])})"
    if at < len(parts):
        start = start_of(source, parts[at])
        edit = Edit(file, start, start, f"{text}, ")
    else:
        edit = add_argument(source, file, call, text)
    return Known(whole, Change(title=f"Write `{whole}`", kind="argument", edits=[edit]))


def _shifted(source: Source, file: str, call: ast.Call, names: list[str], missing: list[str]) -> Known | None:
    """An argument that stands too far to the left, because the one before it was forgotten: `plot(history)` of
    `plot(model, history)`."""
    places = [at for at, one in enumerate(call.args) if [last_name(one)] == missing]
    if len(places) != 1 or places[0] >= len(names):
        return None
    at = places[0]
    value = _value(source, call, names[at], None)
    if value is None or value in {written(one) for one in call.args} or names[at + 1 : at + 2] != missing:
        return None
    return _with(source, file, call, value, at)


def _value(source: Source, call: ast.Call, name: str, position: int | None) -> str | None:
    """What has the name on the line of a call: a parameter or a local of the functions around it, the parameter that
    the method of the parent is given by `super()`, an attribute of the object, a variable of the module."""
    functions = [one for one in around(source.tree, call.lineno, ast.stmt) if isinstance(one, Function)]
    functions.sort(key=lambda one: -one.lineno)
    if functions and (name in own_names(functions[0]) or _is_stored(functions[0], name, call)):
        return name
    if functions and (own := _own_parameter(functions[0], call, position)):
        return own
    for function in functions:
        if name in own_names(function) or _is_stored(function, name, call):
            return name
        if _is_attribute(source, function, name):
            return f"self.{name}"
    return name if _is_stored(source.tree, name, None if functions else call) else None


def _own_parameter(function: Function, call: ast.Call, position: int | None) -> str | None:
    """The parameter at the same place of the method that calls the one of its parent."""
    func = call.func
    through = isinstance(func, ast.Attribute) and isinstance(func.value, ast.Call) and last_name(func.value.func)
    own = [one.arg for one in function.args.args[1:]]
    if through != "super" or last_name(func) != function.name or position is None or position >= len(own):
        return None
    return own[position] if function.name != "__init__" else None


def _is_stored(scope: ast.AST, name: str, before: ast.Call | None) -> bool:
    """Whether a scope assigns the name itself, above a call."""
    return any(
        isinstance(one, ast.Name)
        and one.id == name
        and isinstance(one.ctx, ast.Store)
        and (before is None or one.lineno < before.lineno)
        for one in within(scope)
    )


def _is_attribute(source: Source, function: Function, name: str) -> bool:
    """Whether the class of a method sets the attribute of that name."""
    owners = [one for one in walk(source.tree, ast.ClassDef) if function in one.body]
    if not owners or [one.arg for one in function.args.args[:1]] != ["self"]:
        return False
    return any(
        one.attr == name and isinstance(one.ctx, ast.Store) and last_name(one.value) == "self"
        for one in walk(owners[0], ast.Attribute)
    )
