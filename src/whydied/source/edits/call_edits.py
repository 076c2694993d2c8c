"""Edits of calls: an argument set, renamed or left out, a layer put before another. Pure.

What is not plain, such as two calls of one name on a line or arguments behind `*values`, gives None.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from whydied.source.calls import callee
from whydied.source.edits.edit import Edit, end_of, line_before, over, start_of, written_in
from whydied.source.text import Source
from whydied.source.trees import around, last_name, nodes_on, walk


def calls_at(source: Source, line: int, name: str) -> list[ast.Call]:
    """The calls of a name in the statement that holds a line, by place; those that begin on the line itself where
    there are any."""
    found = [node for node in nodes_on(source, line) if isinstance(node, ast.Call) and callee(node) == name]
    found.sort(key=lambda call: (call.end_lineno or 0, call.end_col_offset or 0))
    return [call for call in found if call.lineno <= line <= (call.end_lineno or 0)] or found


def only_call(sources: Mapping[str, Source], file: str, line: int, name: str) -> ast.Call | None:
    found = calls_at(sources[file], line, name) if file in sources else []
    return found[0] if len(found) == 1 else None


def keyword_values(source: Source, line: int, word: str) -> list[ast.expr]:
    """What the calls of the statement that holds a line give for a keyword."""
    calls = [node for node in nodes_on(source, line) if isinstance(node, ast.Call)]
    return [one.value for call in calls for one in call.keywords if one.arg == word]


def set_argument(source: Source, file: str, call: ast.Call, word: str, position: int | None, value: str) -> Edit | None:
    """An argument by its keyword or its position; it is added as a keyword where it is not there. A name that stands
    for a constant and is used only here is changed where it is assigned."""
    if any(isinstance(one, ast.Starred) for one in call.args) or any(one.arg is None for one in call.keywords):
        return None
    given: ast.expr | None = next((one.value for one in call.keywords if one.arg == word), None)
    if given is None and position is not None and position < len(call.args):
        given = call.args[position]
    if given is None:
        return add_argument(source, file, call, f"{word}={value}")
    return over(source, file, constant_behind(source.tree, given) or given, value)


def constant_behind(tree: ast.Module, node: ast.expr) -> ast.expr | None:
    """The constant, or the tuple or list written out, that a name is assigned in the module, where it is used just
    here."""
    if not isinstance(node, ast.Name):
        return None
    uses = [one for one in walk(tree, ast.Name) if one.id == node.id]
    made = [
        one.value
        for one in tree.body
        if isinstance(one, ast.Assign) and len(one.targets) == 1 and one.targets[0] in uses
    ]
    known = len(uses) == 2 and len(made) == 1 and isinstance(made[0], ast.Constant | ast.Tuple | ast.List)
    return made[0] if known else None


def add_argument(source: Source, file: str, call: ast.Call, text: str) -> Edit:
    """One more argument, behind the others."""
    parts: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    if not parts:
        close = end_of(source, call)
        place = (close[0], close[1] - 1)
        return Edit(file, place, place, text)
    place = max(end_of(source, part) for part in parts)
    return Edit(file, place, place, f", {text}")


def argument_beside(source: Source, file: str, line: int, word: str, text: str) -> Edit | None:
    """One more argument for the only call of the statement at a line that passes a keyword. A class of the same file
    must take what it does not name."""
    calls = [call for call in walk_calls(source, line) if any(one.arg == word for one in call.keywords)]
    if len(calls) != 1:
        return None
    own = [one for one in walk(source.tree, ast.ClassDef) if one.name == callee(calls[0])]
    made = [one for each in own for one in each.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
    if any(one.args.kwarg is None for one in made):
        return None
    return add_argument(source, file, calls[0], text)


def insert_layer(source: Source, file: str, call: ast.Call, layer: str) -> list[Edit] | None:
    """A layer (`Flatten()`) before the one that a call makes: above its `add`, before it in a list, or around what it
    is called on. It is written like its neighbour (`layers.Dense` gives `layers.Flatten`)."""
    made = call.func
    name = f"{written_in(source, made.value)}.{layer}" if isinstance(made, ast.Attribute) else layer
    needed = (
        [] if isinstance(made, ast.Attribute) else _imported(source, file, last_name(made), layer.partition("(")[0])
    )
    if needed is None:
        return None
    for node in nodes_on(source, call.lineno):
        if isinstance(node, ast.Call) and call in node.args and callee(node) == "add":
            return [*needed, line_before(source, file, node.lineno, f"{written_in(source, node.func)}({name})")]
        if isinstance(node, ast.Call) and node.func is call and len(node.args) == 1:
            given = node.args[0]
            return [*needed, over(source, file, given, f"{name}({written_in(source, given)})")]
    if any(call in node.elts for node in walk(source.tree, ast.List)):
        start = start_of(source, call)
        first = not source.lines[start[0] - 1][: start[1]].strip()
        gap = f"\n{' ' * start[1]}" if first else " "
        return [*needed, Edit(file, start, start, f"{name},{gap}")]
    return None


def _imported(source: Source, file: str, beside: str, name: str) -> list[Edit] | None:
    """The import that a name needs, beside that of another of the same module; None where nothing imports that."""
    for node in walk(source.tree, ast.ImportFrom):
        names = [alias.asname or alias.name for alias in node.names]
        if name in names:
            return []
        if beside in names:
            return [line_before(source, file, node.lineno, f"from {node.module} import {name}")]
    return None


def rename_argument(source: Source, file: str, call: ast.Call, old: str, new: str) -> Edit | None:
    word = next((one for one in call.keywords if one.arg == old), None)
    return over(source, file, word, f"{new}={written_in(source, word.value)}") if word is not None else None


def replace_expression(source: Source, file: str, line: int, old: str, new: str) -> Edit | None:
    """An expression of the statement at a line, where it stands there once; what is assigned to is none."""
    try:
        wanted = ast.dump(ast.parse(old, mode="eval").body)
    except (SyntaxError, ValueError):
        return None
    found = [
        node
        for node in nodes_on(source, line)
        if isinstance(node, ast.expr) and not _is_stored(node) and ast.dump(node) == wanted
    ]
    return over(source, file, found[0], new) if len(found) == 1 else None


def _is_stored(node: ast.expr) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)


def replace_in_call(
    sources: Mapping[str, Source], file: str, line: int, names: Sequence[str], old: str, new: str
) -> Edit | None:
    """An expression that one of the calls of a statement is given as an argument of its own."""
    source = sources.get(file)
    for call in walk_calls(source, line) if source is not None else []:
        if callee(call) not in names:
            continue
        given = [*call.args, *(word.value for word in call.keywords)]
        found = [one for one in given if ast.unparse(one) == old]
        if len(found) == 1 and source is not None:
            return over(source, file, found[0], new)
    return None


def walk_calls(source: Source, line: int) -> list[ast.Call]:
    """The calls of the statement at a line, outer ones first."""
    inside = [node for node in nodes_on(source, line) if isinstance(node, ast.Call)]
    outside = [node for node in around(source.tree, line, ast.Call) if node not in inside]
    return outside + inside
