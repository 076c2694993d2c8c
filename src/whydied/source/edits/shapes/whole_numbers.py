"""Edits of whole numbers and of shapes in the source: written where they are said. Pure.

A name that stands for a constant is followed to it: through an assignment of the module or of the function, through a
parameter of a function that is called once, and into a dict of settings. What is passed by several calls, or by an
attribute, is not changed.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from whydied.source.assignments import assigned
from whydied.source.calls import bound_arguments, callee, own_names
from whydied.source.edits.call_edits import constant_behind
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.numbers import constants, evaluate
from whydied.source.text import Source
from whydied.source.trees import Function, function_at, walk

Sizes = Sequence[int | None]
_DEPTH = 4


def number_edit(source: Source, file: str, node: ast.expr, value: int, depth: int = _DEPTH) -> Edit | None:
    """An expression that gives a whole number, so that it gives another. A name of which other lines make use is
    kept where one more is asked for: `WORDS + 1`. None where the source does not tell the number."""
    if isinstance(node, ast.Constant):
        return over(source, file, node, str(value))
    passed = _passed(source.tree, node)
    if passed is not None:
        return number_edit(source, file, passed[0], value, depth - 1) if len(passed) == 1 and depth else None
    behind = constant_behind(source.tree, node) or _of_function(source.tree, node) or _of_settings(source.tree, node)
    if behind is not None and depth:
        return number_edit(source, file, behind, value, depth - 1)
    was = evaluate(node, constants(source.tree))
    if was is None:
        return None
    if value == was + 1:
        return over(source, file, node, f"{written_in(source, node)} + 1")
    return over(source, file, node, str(value))


def one_more(source: Source, file: str, node: ast.expr, value: int, depth: int = _DEPTH) -> Edit | None:
    """An expression whose number is known to be one less than `value`, where the source does not tell it:
    `len(words) + 1`."""
    edit = number_edit(source, file, node, value)
    passed = _passed(source.tree, node)
    if edit is not None or (passed is not None and len(passed) != 1):
        return edit
    if passed is not None:
        return one_more(source, file, passed[0], value, depth - 1) if depth else None
    return over(source, file, node, f"{written_in(source, node)} + 1")


def _passed(tree: ast.Module, node: ast.expr) -> list[ast.expr] | None:
    """What the calls of a function pass for a parameter of it; None where the expression is no parameter. Of a call
    that leaves it to its default nothing is known."""
    function = function_at(tree, node.lineno)
    if not isinstance(node, ast.Name) or function is None or node.id not in own_names(function):
        return None
    name = _called_as(tree, function)
    calls = [call for call in walk(tree, ast.Call) if callee(call) == name]
    values = [bound_arguments(call, function).get(node.id) for call in calls]
    return [one for one in values if one is not None] if None not in values else []


def _called_as(tree: ast.Module, function: Function) -> str:
    """The name of a function, and of its class for what makes an object."""
    owner = next((one.name for one in walk(tree, ast.ClassDef) if function in one.body), "")
    return owner if function.name == "__init__" and owner else function.name


def _of_function(tree: ast.Module, node: ast.expr) -> ast.expr | None:
    """What a name is assigned in the function that it stands in, just once: all that uses it there is to agree."""
    function = function_at(tree, node.lineno)
    if function is None or not isinstance(node, ast.Name):
        return None
    made = assigned(node.id, function)
    plain = len(made) == 1 and not isinstance(made[0].value, ast.Name) and made[0].line < node.lineno
    return made[0].value if plain else None


def _of_settings(tree: ast.Module, node: ast.expr) -> ast.expr | None:
    """What the only dict of a file with a key has for it (`config["width"]`), where nothing else reads that key."""
    key = node.slice if isinstance(node, ast.Subscript) else None
    if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
        return None
    named = [one for one in walk(tree, ast.Constant) if one.value == key.value]
    pairs = [pair for one in walk(tree, ast.Dict) for pair in zip(one.keys, one.values, strict=True)]
    values = [value for own, value in pairs if own in named]
    return values[0] if len(values) == 1 and len(named) == 2 else None


def sizes_edits(source: Source, file: str, node: ast.expr, was: Sizes, wanted: Sizes) -> list[Edit] | None:
    """A shape that is written out, changed where the sizes differ; one with an axis more or less keeps the words of
    the others. None where a size cannot be written."""
    node = constant_behind(source.tree, node) or node
    if not isinstance(node, ast.Tuple | ast.List):
        # A number alone, or the shape of something else.
        single = isinstance(node, ast.Constant) and isinstance(node.value, int) and len(was) == len(wanted) == 1
        text = str(wanted[0]) if single else shape_text(wanted)
        return [over(source, file, node, text)]
    parts = node.elts
    if len(parts) != len(was):
        return None
    words = [written_in(source, part) for part in parts]
    if list(wanted) == [*was[1:], *was[:1]] != list(was):
        return [over(source, file, node, _bracketed([*words[1:], *words[:1]], isinstance(node, ast.List)))]
    if len(was) == len(wanted):
        edits = [
            number_edit(source, file, part, new) if new is not None else over(source, file, part, "None")
            for part, old, new in zip(parts, was, wanted, strict=True)
            if old != new
        ]
        return [one for one in edits if one is not None] if None not in edits else None
    if list(wanted) == list(was)[1:]:
        words = words[1:]
    elif list(wanted) == list(was)[:-1]:
        words = words[:-1]
    elif list(wanted)[:-1] == list(was):
        words = [*words, str(wanted[-1])]
    else:
        words = [str(size) for size in wanted]
    return [over(source, file, node, _bracketed(words, isinstance(node, ast.List)))]


def shape_text(sizes: Sizes) -> str:
    return _bracketed([str(size) for size in sizes], False)


def _bracketed(words: Sequence[str], is_list: bool) -> str:
    if is_list:
        return f"[{', '.join(words)}]"
    return f"({words[0]},)" if len(words) == 1 else f"({', '.join(words)})"


def written_shapes(source: Source, nodes: Sequence[ast.AST], sizes: Sizes) -> list[ast.Tuple | ast.List]:
    """The shapes that are written out among nodes and have these sizes, as far as constants tell; None is any."""
    known = constants(source.tree)
    found = []
    for node in nodes:
        if isinstance(node, ast.Tuple | ast.List) and len(node.elts) == len(sizes) and node.elts:
            values = [evaluate(part, known) for part in node.elts]
            told = [one for one in values if one is not None]
            if told and all(one in (None, two) for one, two in zip(values, sizes, strict=True)):
                found.append(node)
    return found
