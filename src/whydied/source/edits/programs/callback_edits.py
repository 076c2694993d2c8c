"""Edits of callbacks for what Keras no longer gives them. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from whydied.source.calls import callee, passed_argument
from whydied.source.edits.edit import Edit, end_of, start_of, written_in
from whydied.source.edits.programs import definition_edits as definitions
from whydied.source.edits.programs.class_edits import method_before
from whydied.source.text import Source
from whydied.source.trees import across, function_at, scope_at, walk

_DATA = "validation_data"


def given_validation_data(sources: Mapping[str, Source], file: str, line: int) -> list[Edit]:
    """The validation data as an argument of the callback whose method stands at a line: kept by its constructor, and
    passed where the one object of it is made. That and the one `fit` with validation data stand in one function."""
    source = sources[file]
    owners = [node for node in walk(source.tree, ast.ClassDef) if node.lineno <= line <= (node.end_lineno or 0)]
    if not owners:
        return []
    owner = owners[-1]
    made = [(where, call) for where, call in across(sources, ast.Call) if callee(call) == owner.name]
    fits = [(where, call) for where, call in across(sources, ast.Call) if passed_argument(call, _DATA) is not None]
    if len(made) != 1 or len(fits) != 1 or made[0][0] != fits[0][0]:
        return []
    where, call = made[0]
    tree = sources[where].tree
    data = passed_argument(fits[0][1], _DATA)
    kept = _kept(source, file, owner)
    if data is None or not kept or scope_at(tree, call.lineno) is not scope_at(tree, fits[0][1].lineno):
        return []
    text = written_in(sources[where], data)
    place = start_of(sources[where], call.args[0]) if call.args else _inside(sources[where], call)
    more = bool(call.args or call.keywords)
    return [*kept, Edit(where, place, place, f"{text}, " if more else text)]


def _inside(source: Source, call: ast.Call) -> tuple[int, int]:
    """Behind the opening bracket of a call without positional arguments."""
    if call.keywords:
        return start_of(source, call.keywords[0])
    line, column = end_of(source, call)
    return line, column - 1


def _kept(source: Source, file: str, owner: ast.ClassDef) -> list[Edit]:
    begun = definitions.method_in(owner, "__init__")
    if begun is None:
        first = next((node for node in owner.body if isinstance(node, ast.FunctionDef)), None)
        text = f"def __init__(self, {_DATA}):\n    super().__init__()\n    self.{_DATA} = {_DATA}\n"
        return [method_before(source, file, owner.body[0], first, text)] if first is not None else []
    if not begun.args.args or function_at(source.tree, begun.body[0].lineno) is not begun:
        return []
    own = begun.args.args[0]
    at = (own.end_lineno or own.lineno, own.end_col_offset or 0)
    stored = definitions.last_statement(source, file, begun, f"self.{_DATA} = {_DATA}")
    return [Edit(file, at, at, f", {_DATA}"), stored] if stored is not None else []
