"""Layers that learn from data before they are used (`TextVectorization` and the like), and were given none: a call of
`adapt` put where both the layer and the data are in sight. Pure.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from whydied.source.bindings import bindings
from whydied.source.calls import callee, method_calls, own_names
from whydied.source.edits.call_edits import add_argument
from whydied.source.edits.edit import Edit, line_after, line_before, text_between
from whydied.source.edits.programs.definition_edits import parameters_of, set_parameters
from whydied.source.edits.statement_edits import statement_at
from whydied.source.text import Source
from whydied.source.trees import across, around, function_at, last_name, scope_at, walk, within, written

GIVEN = {
    "TextVectorization": ("vocabulary",),
    "StringLookup": ("vocabulary",),
    "IntegerLookup": ("vocabulary",),
    "Discretization": ("bin_boundaries",),
}
"""The layers, and what each is given where it need not be adapted."""
_FILLED = ("adapt", "set_vocabulary", "set_weights", "load_assets", "load_own_variables", "update_state")
_STEPS = ("call", "__call__", "train_step", "test_step", "predict_step")
_ROUNDS = 5


class Unadapted(NamedTuple):
    """`name` is what the layer is called where it is made, "" where it has no name of its own."""

    file: str
    call: ast.Call
    name: str

    @property
    def kind(self) -> str:
        return callee(self.call)


def unadapted(sources: Mapping[str, Source]) -> tuple[list[Unadapted], bool]:
    """The layers that nothing in the program gives data to by their names, and whether something is given data under
    another name."""
    filled = {last_name(one) for source in sources.values() for one, _ in method_calls(ast.walk(source.tree), _FILLED)}
    layers = [
        Unadapted(file, call, _name(sources[file], call))
        for file, call in across(sources, ast.Call)
        if callee(call) in GIVEN and not any(one.arg in (*GIVEN[callee(call)], None) for one in call.keywords)
    ]
    names = {one.name.rpartition(".")[2] for one in layers}
    return [one for one in layers if one.name.rpartition(".")[2] not in filled], bool(filled - names)


def late_adapt(source: Source, line: int) -> ast.Expr | None:
    """The first call of `adapt` that stands below a line, in the same function."""
    found = [
        node
        for node in within(scope_at(source.tree, line))
        if isinstance(node, ast.Expr) and node.lineno > line and any(method_calls([node.value], ("adapt",)))
    ]
    return min(found, key=lambda node: node.lineno, default=None)


def _name(source: Source, call: ast.Call) -> str:
    node = statement_at(source, call.lineno)
    is_it = isinstance(node, ast.Assign) and node.value is call and len(node.targets) == 1
    target = node.targets[0] if is_it and isinstance(node, ast.Assign) else None
    return written(target) if isinstance(target, ast.Name | ast.Attribute) else ""


def names_used(source: Source, line: int) -> list[str]:
    """The variables that a statement is computed from, the nearest first; those of a loop, which hold a part of the
    data, are left out, and so is what a model gets for one step."""
    scope = scope_at(source.tree, line)
    if getattr(scope, "name", "") in _STEPS:
        return []
    first = statement_at(source, line)
    waiting: list[ast.AST] = [first] if first is not None else []
    found: dict[str, None] = {}
    for _ in range(_ROUNDS):
        names = [one.id for node in waiting for one in walk(node, ast.Name) if one.id not in found]
        found |= dict.fromkeys(names)
        waiting = [
            one.value for name in names for one in bindings(name, scope) if one.value is not None and one.line <= line
        ]
    return [one for one in found if "loop" not in {each.kind for each in bindings(one, scope)}]


def adapting(sources: Mapping[str, Source], one: Unadapted, file: str, line: int, name: str, data: str) -> list[Edit]:
    """`layer.adapt(data)`, for data that are computed from a variable of the function that a line stands in."""
    source, maker = sources[file], sources[one.file]
    scope, own = scope_at(source.tree, line), scope_at(maker.tree, one.call.lineno)
    known = max((each.line for each in bindings(name, scope) if each.line < line), default=0)
    if not one.name:
        return []
    in_sight = one.file == file and (own is scope or own is source.tree)
    if in_sight and not one.name.startswith("self."):
        made = one.call.lineno if own is scope else 0
        return [_at(source, file, scope, max(made, known), line, f"{one.name}.adapt({data})")]
    function = function_at(maker.tree, one.call.lineno)
    if function is None:
        return []
    owner = [node.name for node in around(maker.tree, one.call.lineno, ast.ClassDef)][-1:]
    called = owner[0] if function.name == "__init__" and owner else function.name
    calls = [(other, call) for other, call in across(sources, ast.Call) if callee(call) == called]
    if len(calls) != 1 or calls[0][0] != file or calls[0][1] not in set(within(scope)):
        return []
    call = calls[0][1]
    kept = statement_at(source, call.lineno)
    attribute = one.name.partition("self.")[2]
    if attribute and isinstance(kept, ast.Assign) and kept.value is call and isinstance(kept.targets[0], ast.Name):
        text = f"{kept.targets[0].id}.{attribute}.adapt({data})"
        return [_at(source, file, scope, max(kept.lineno, known), line, text)]
    if known >= call.lineno or (known == 0 and name not in _parameters(scope)) or name in own_names(function):
        return []
    between = parameters_of(maker, function)
    given = text_between(maker, *between).strip() if between is not None else ""
    first, _, rest = given.partition(",")
    listed = f"{first}, {name},{rest}" if first in ("self", "cls") and rest else f"{given}, {name}"
    if first not in ("self", "cls"):
        listed = f"{name}, {given}" if given else name
    header = set_parameters(maker, one.file, function, listed)
    below = line_after(maker, one.file, one.call.lineno, f"{one.name}.adapt({data})")
    return [header, below, add_argument(source, file, call, f"{name}={name}")] if header is not None else []


def _parameters(scope: ast.AST) -> set[str]:
    return own_names(scope) if isinstance(scope, ast.FunctionDef) else set()


def _at(source: Source, file: str, scope: ast.AST, after: int, before: int, text: str) -> Edit:
    """Below the statement of the function itself that made the last of what is needed, else above the failing one."""
    body: list[ast.stmt] = getattr(scope, "body", [])
    last = next((one for one in body if after and one.lineno <= after <= (one.end_lineno or one.lineno)), None)
    if last is not None and not hasattr(last, "body") and last.lineno < before:
        return line_after(source, file, last.lineno, text)
    return line_before(source, file, before, text)
