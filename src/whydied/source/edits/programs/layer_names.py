"""Edits of the names that layers are given: another one, none, or one that depends on the call of the function around
it. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from whydied.source.calls import callee, own_names
from whydied.source.edits.argument_edits import drop_argument, drop_keyword
from whydied.source.edits.call_edits import add_argument, walk_calls
from whydied.source.edits.edit import Edit, end_of, over, written_in
from whydied.source.text import Source
from whydied.source.trees import Function, across, function_at, walk

_PREFIX = "prefix"


def renamed(source: Source, file: str, line: int, name: str, new: str) -> Edit | None:
    """Another name where it is written out, in the only call of the statement that has it; the last of several."""
    texts = [
        word.value
        for call in walk_calls(source, line)
        for word in call.keywords
        if word.arg == "name" and isinstance(word.value, ast.Constant) and word.value.value == name
    ]
    last = max(texts, key=lambda one: (one.lineno, one.col_offset), default=None)
    return over(source, file, last, repr(new)) if last is not None else None


def without_name(source: Source, file: str, line: int) -> Edit | None:
    named = [call for call in walk_calls(source, line) if any(word.arg == "name" for word in call.keywords)]
    return drop_keyword(source, file, named[0], "name") if len(named) == 1 else None


class ClassName(NamedTuple):
    """Where a class gives its layers their name, and the edits without it."""

    file: str
    line: int
    edits: list[Edit]


def own_layer_name(sources: Mapping[str, Source], kind: str, name: str) -> ClassName | None:
    """The name that a class of the program's own has as the default of its constructor's `name`, or passes to the
    constructor of its parent."""
    owners = [(file, one) for file, one in across(sources, ast.ClassDef) if one.name == kind]
    begins = (
        [one for one in owners[0][1].body if isinstance(one, Function) and one.name == "__init__"] if owners else []
    )
    if len(owners) != 1 or len(begins) != 1:
        return None
    file, function, source = owners[0][0], begins[0], sources[owners[0][0]]
    for parameter, default in defaults(function):
        if parameter == "name" and isinstance(default, ast.Constant) and default.value == name:
            return ClassName(file, default.lineno, [over(source, file, default, "None")])
    for call in walk(function, ast.Call):
        word = next((one for one in call.keywords if one.arg == "name"), None)
        if callee(call) != "__init__" or word is None:
            continue
        if isinstance(word.value, ast.Constant) and word.value.value == name:
            return ClassName(file, word.value.lineno, [drop_argument(source, file, call, word)])
    return None


def defaults(function: Function) -> list[tuple[str, ast.expr]]:
    """The parameters of a function that have a default, with it."""
    given = function.args
    plain = [*given.posonlyargs, *given.args]
    late = list(zip(plain[len(plain) - len(given.defaults) :], given.defaults, strict=True))
    named = [(one, value) for one, value in zip(given.kwonlyargs, given.kw_defaults, strict=True) if value is not None]
    return [(one.arg, value) for one, value in [*late, *named]]


def prefixed_names(source: Source, file: str, line: int, callers: list[int], count: int) -> list[Edit]:
    """A parameter of the function around a line that stands before all names which it gives, with a value of its own in
    each call but the first. Empty where the function has such a name, or the lines of the callers do not call it as
    often as that."""
    function = function_at(source.tree, line)
    if function is None or function.args.vararg or function.args.kwarg or _PREFIX in own_names(function):
        return []
    words = [word for call in walk(function, ast.Call) for word in call.keywords if word.arg == "name"]
    made = {id(call): call for at in callers for call in walk_calls(source, at) if callee(call) == function.name}
    plain = sorted(made.values(), key=lambda call: (call.lineno, call.col_offset))
    if not words or len(plain) != count:
        return []
    edits = [over(source, file, word.value, _before(source, word.value)) for word in words]
    edits += [_parameter(source, file, function)]
    edits += [add_argument(source, file, call, f'{_PREFIX}="{chr(97 + at)}_"') for at, call in enumerate(plain) if at]
    return edits


def _before(source: Source, node: ast.expr) -> str:
    text = written_in(source, node)
    plain = isinstance(node, ast.Constant | ast.JoinedStr | ast.Name)
    return f"{_PREFIX} + {text}" if plain else f"{_PREFIX} + ({text})"


def _parameter(source: Source, file: str, function: Function) -> Edit:
    known = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    ends: list[ast.expr] = [one for one in [*function.args.defaults, *function.args.kw_defaults] if one is not None]
    if not known:
        line = source.lines[function.lineno - 1]
        at = (function.lineno, line.index("(") + 1)
        return Edit(file, at, at, f'{_PREFIX}=""')
    parts: list[ast.expr | ast.arg] = [*known, *ends]
    last = max(parts, key=lambda one: (one.end_lineno or 0, one.end_col_offset or 0))
    place = end_of(source, last)
    return Edit(file, place, place, f', {_PREFIX}=""')
