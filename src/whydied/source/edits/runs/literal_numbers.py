"""Edits of numbers: a number is changed where it is written, which for a name is where that is assigned. Pure."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping

from whydied.source.assignments import stored_names, targets, unpacked
from whydied.source.calls import bound_arguments, callee, own_names, passed_argument
from whydied.source.text import Source
from whydied.source.trees import Function, function_at, last_name, walk

_DEPTH = 3
_FLAGS = "DEFINE_"
_OPTIONS = frozenset({"add_argument", "option", f"{_FLAGS}float", f"{_FLAGS}integer"})


def number_at(source: Source, node: ast.expr, depth: int = _DEPTH, *, own: str = "") -> ast.expr | None:
    """The literal behind an expression: itself, what a name that is assigned once gets, the default of a parameter or
    what the only call of the function passes for it; of an attribute or an item what `_settings` finds. None where
    there is none, or more than one. With `own` a name
    that does not have this word in it, and stands for the number elsewhere too, is the place itself: what it says
    there may mean something else."""
    if literal(node) is not None:
        return node
    if isinstance(node, ast.Attribute | ast.Subscript) and depth:
        found = _settings(source, node)
        return number_at(source, found[0], depth - 1, own=own) if len(found) == 1 else None
    if not isinstance(node, ast.Name) or not depth:
        return None
    function = function_at(source.tree, node.lineno)
    if function is not None and node.id in own_names(function):
        return _passed(source, function, node.id, depth, own)
    assigned = [
        value
        for one in walk(source.tree, ast.Assign)
        for target in one.targets
        for name, value in unpacked(target, one.value)
        if isinstance(name, ast.Name) and name.id == node.id
    ]
    stored = [one for one in walk(source.tree, ast.Name) if one.id == node.id and isinstance(one.ctx, ast.Store)]
    if len(assigned) != 1 or len(stored) != 1:
        return None
    place = number_at(source, assigned[0], depth - 1, own=own)
    uses = [one for one in walk(source.tree, ast.Name) if one.id == node.id and isinstance(one.ctx, ast.Load)]
    return node if place is not None and own and len(uses) > 1 and own not in node.id.lower() else place


def _passed(source: Source, function: Function, name: str, depth: int, own: str) -> ast.expr | None:
    if any(one.id == name and isinstance(one.ctx, ast.Store) for one in walk(function, ast.Name)):
        return None
    # What calls `super().__init__` passes something to another class.
    names = {_class_of(source, function)} if function.name == "__init__" else {function.name}
    calls = [call for call in walk(source.tree, ast.Call) if callee(call) in names]
    given = [value for call in calls if (value := bound_arguments(call, function).get(name)) is not None]
    if len(calls) == 1 and given:
        return number_at(source, given[0], depth - 1, own=own)
    return _default(function, name) if not given else None


def number_elsewhere(sources: Mapping[str, Source], file: str, node: ast.expr) -> tuple[str, ast.expr] | None:
    """The literal that a name, an attribute or an item of one file stands for, in the only other file that writes it:
    `rate` of `from settings import rate`, `settings.rate`, `config["rate"]`."""
    found = []
    for other, source in sources.items():
        if other == file:
            continue
        places = [
            value
            for one in source.tree.body
            if isinstance(one, ast.Assign) and last_name(node) and last_name(node) in stored_names(one)
            for value in [one.value]
        ]
        inner = number_at(source, node) if isinstance(node, ast.Attribute | ast.Subscript) else None
        found += [(other, one) for one in [*places, inner] if one is not None and literal(one) is not None]
    return found[0] if len(found) == 1 else None


def _settings(source: Source, node: ast.Attribute | ast.Subscript) -> list[ast.expr]:
    """All that the file writes under the name of an attribute or the key of an item: assignments to it, the field of a
    class and what is passed for it, an option of the command line, an entry of a dictionary."""
    if isinstance(node, ast.Subscript):
        key = node.slice.value if isinstance(node.slice, ast.Constant) else None
        return entries(source, key) if isinstance(key, str) else []
    return _attributes(source, node.attr) + _fields(source, node.attr) + _options(source, node.attr)


def _attributes(source: Source, name: str) -> list[ast.expr]:
    changed = [one.value for one in walk(source.tree, ast.AugAssign) if last_name(one.target) == name]
    return changed + [
        value
        for one in walk(source.tree, ast.Assign)
        for target in one.targets
        for place, value in unpacked(target, one.value)
        if isinstance(place, ast.Attribute) and place.attr == name
    ]


def _fields(source: Source, name: str) -> list[ast.expr]:
    """The default of a field, and what the makers of its class pass for it."""
    found = []
    for made in walk(source.tree, ast.ClassDef):
        fields = [one for one in made.body if isinstance(one, ast.Assign | ast.AnnAssign) and name in stored_names(one)]
        found += [one.value for one in fields if one.value is not None]
        calls = (
            [call for call in walk(source.tree, ast.Call) if callee(call) in (made.name, "replace")] if fields else []
        )
        found += [value for call in calls if (value := passed_argument(call, name)) is not None]
    return found


def _options(source: Source, name: str) -> list[ast.expr]:
    """The defaults of options of the command line."""
    found = []
    for call in walk(source.tree, ast.Call):
        words = [str(one.value) for one in call.args if isinstance(one, ast.Constant)]
        if callee(call) in _OPTIONS and any(word.lstrip("-").replace("-", "_") == name for word in words):
            default = passed_argument(call, "default") or (
                passed_argument(call, "1") if _FLAGS in callee(call) else None
            )
            found += [default] if default is not None else []
    return found


def entries(source: Source, key: str) -> list[ast.expr]:
    """What dictionaries have under a key."""
    found = [
        value
        for one in walk(source.tree, ast.Dict)
        for name, value in zip(one.keys, one.values, strict=True)
        if isinstance(name, ast.Constant) and name.value == key
    ]
    for call in walk(source.tree, ast.Call):
        if callee(call) in ("dict", "update") and (value := passed_argument(call, key)) is not None:
            found.append(value)
    changed: list[ast.Assign | ast.AugAssign] = [*walk(source.tree, ast.Assign), *walk(source.tree, ast.AugAssign)]
    for one in changed:
        items = [target for target in targets(one) if isinstance(target, ast.Subscript)]
        found += [one.value for target in items if getattr(target.slice, "value", None) == key]
    return found


def _class_of(source: Source, method: Function) -> str:
    return next((one.name for one in walk(source.tree, ast.ClassDef) if method in one.body), "")


def _default(function: Function, name: str) -> ast.expr | None:
    given = function.args
    positional = [*given.posonlyargs, *given.args]
    pairs: list[tuple[ast.arg, ast.expr | None]] = list(
        zip(positional[len(positional) - len(given.defaults) :], given.defaults, strict=True)
    )
    pairs += zip(given.kwonlyargs, given.kw_defaults, strict=True)
    found = next((value for argument, value in pairs if argument.arg == name), None)
    return found if found is not None and literal(found) is not None else None


def literal(node: ast.expr) -> float | None:
    """The number that a literal is."""
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def plain(value: float) -> str:
    """`0.05`, `1e-05`, `256`: a number as people write it."""
    return str(value) if isinstance(value, int) else repr(float(f"{value:.6g}"))


def rounded_down(value: float) -> int:
    """The largest of 1, 2, 5, 10, 20, 50 … that is not above a number; 1 at least."""
    if value < 1:
        return 1
    unit = int(10 ** math.floor(math.log10(value)))
    return max(step * unit for step in (1, 2, 5) if step * unit <= value)
