"""Mistakes that people make, put into programs that work. Pure: a text in, changed texts out.

Each operator is a slip that is found in public questions: a conversion or an axis left out, a width that does not fit,
an attribute forgotten, two arguments in the wrong order. The line that is changed is the truth about the program.
Every mutation stays on its lines, so that the numbers of the others are those of the program that works.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

from whydied.source.edits.edit import edited, over, written_in
from whydied.source.text import Source

_CONVERSIONS = frozenset({"array", "asarray", "cast", "constant", "convert_to_tensor", "float", "int", "str", "list"})
_CONVERTING_METHODS = frozenset({"astype", "numpy", "tolist", "item", "to_numpy", "as_list", "decode", "encode"})
_RESHAPES = frozenset({"expand_dims", "reshape", "squeeze", "transpose", "to_categorical", "one_hot", "stack"})
_RESHAPING_METHODS = frozenset({"reshape", "transpose", "squeeze", "ravel", "flatten", "swapaxes"})
_WRAPPERS = frozenset({"zip", "enumerate", "range", "len", "tuple", "dict", "set"})
_LOSSES = {
    "categorical_crossentropy": "sparse_categorical_crossentropy",
    "sparse_categorical_crossentropy": "categorical_crossentropy",
    "binary_crossentropy": "categorical_crossentropy",
}
_LOSS_CLASSES = {
    "CategoricalCrossentropy": "SparseCategoricalCrossentropy",
    "SparseCategoricalCrossentropy": "CategoricalCrossentropy",
}
_MODULES = frozenset({"np", "tf", "pd", "keras", "os", "layers", "K", "plt", "sys", "json", "random"})
_KEPT_WORDS = frozenset({"verbose", "name", "seed", "epochs"})
"""Keyword arguments whose absence changes nothing worth a report."""


class Mutant(NamedTuple):
    """`lines` are those that were changed; `was` and `now` what stood and what stands there."""

    operator: str
    text: str
    lines: tuple[int, ...]
    was: str
    now: str


_Found = Iterator[tuple[ast.expr | ast.keyword | ast.stmt, str]]
_Operator = Callable[[Source, ast.AST], _Found]


def mutants(text: str, file: str, chance: random.Random) -> list[Mutant]:
    """All mutations of a program, those of each operator in an order of chance."""
    source = Source(text)
    found: dict[str, list[Mutant]] = {}
    for name, operator in OPERATORS.items():
        for node in ast.walk(source.tree):
            for target, now in operator(source, node):
                was = written_in(source, target)
                if was == now or "\n" in now:
                    continue
                # What took several lines keeps them, so that the lines below keep their numbers.
                kept = now + "\n" * was.count("\n") if isinstance(target, ast.stmt) else now
                if "\n" in was and not isinstance(target, ast.stmt):
                    continue
                made = edited(source, [over(source, file, target, kept)])
                if made is not None:
                    lines = tuple(range(target.lineno, (target.end_lineno or target.lineno) + 1))
                    found.setdefault(name, []).append(Mutant(name, made, lines, was, now))
    for each in found.values():
        chance.shuffle(each)
    return [one for each in found.values() for one in each]


def _called(node: ast.AST) -> str:
    if not isinstance(node, ast.Call):
        return ""
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _is_method_of_value(node: ast.Call) -> bool:
    """Whether a call is one of a value and not of a module with a short name."""
    function = node.func
    return isinstance(function, ast.Attribute) and not (
        isinstance(function.value, ast.Name) and function.value.id in _MODULES
    )


def _unconverted(source: Source, node: ast.AST) -> _Found:
    if isinstance(node, ast.Call):
        if _called(node) in _CONVERTING_METHODS and isinstance(node.func, ast.Attribute) and _is_method_of_value(node):
            yield node, written_in(source, node.func.value)
        elif _called(node) in _CONVERSIONS and node.args and not _is_method_of_value(node):
            yield node, written_in(source, node.args[0])


def _unshaped(source: Source, node: ast.AST) -> _Found:
    if isinstance(node, ast.Call):
        if _called(node) in _RESHAPING_METHODS and isinstance(node.func, ast.Attribute) and _is_method_of_value(node):
            yield node, written_in(source, node.func.value)
        elif _called(node) in _RESHAPES and node.args and not _is_method_of_value(node):
            yield node, written_in(source, node.args[0])
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
        yield from (
            (node, written_in(source, node.value))
            for one in node.slice.elts
            if isinstance(one, ast.Constant) and one.value is None
        )


def _without_word(source: Source, node: ast.AST) -> _Found:
    if isinstance(node, ast.Call) and not any(word.arg is None for word in node.keywords):
        for word in node.keywords:
            if word.arg in _KEPT_WORDS:
                continue
            kept = [written_in(source, one) for one in node.args]
            kept += [written_in(source, one) for one in node.keywords if one is not word]
            yield node, f"{written_in(source, node.func)}({', '.join(kept)})"


def _other_number(source: Source, node: ast.AST) -> _Found:
    if isinstance(node, ast.Call):
        for one in [*node.args, *(word.value for word in node.keywords if word.arg not in _KEPT_WORDS)]:
            if isinstance(one, ast.Constant) and type(one.value) is int and one.value > 1:
                yield one, str(one.value + 1)
                yield one, str(one.value * 2)


def _quoted_number(source: Source, node: ast.AST) -> _Found:
    value = node.value if isinstance(node, ast.Assign | ast.keyword) else None
    if isinstance(value, ast.Constant) and type(value.value) in (int, float):
        yield value, f'"{written_in(source, value)}"'


def _other_axis(source: Source, node: ast.AST) -> _Found:
    if isinstance(node, ast.keyword) and node.arg == "axis" and isinstance(node.value, ast.Constant | ast.UnaryOp):
        for other in ("0", "1", "2"):
            yield node.value, other


def _swapped(source: Source, node: ast.AST) -> _Found:
    if isinstance(node, ast.Call) and len(node.args) == 2 and not node.keywords:
        first, second = (written_in(source, one) for one in node.args)
        yield node, f"{written_in(source, node.func)}({second}, {first})"


def _not_called(source: Source, node: ast.AST) -> _Found:
    if isinstance(node, ast.Call) and not node.args and not node.keywords:
        yield node, written_in(source, node.func)


def _unwrapped(source: Source, node: ast.AST) -> _Found:
    if isinstance(node, ast.Call):
        for one in node.args:
            if isinstance(one, ast.Call) and _called(one) in _WRAPPERS and one.args and not one.keywords:
                kept = [
                    ", ".join(written_in(source, each) for each in (one.args if each is one else [each]))
                    for each in node.args
                ]
                yield node, f"{written_in(source, node.func)}({', '.join(kept)})"
            elif isinstance(one, ast.List) and len(one.elts) == 1:
                yield one, written_in(source, one.elts[0])


def _attribute_forgotten(source: Source, node: ast.AST) -> _Found:
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Name):
        if node.value.id not in (
            "np",
            "tf",
            "pd",
            "keras",
            "os",
            "self",
            "layers",
            "K",
            "plt",
            "sys",
            "json",
            "random",
        ):
            yield node, node.value.id
        elif node.value.id == "self":
            yield node, node.attr


def _item_forgotten(source: Source, node: ast.AST) -> _Found:
    key = node.slice if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) else None
    if isinstance(node, ast.Subscript) and isinstance(key, ast.Constant) and type(key.value) in (int, str):
        yield node, written_in(source, node.value)


def _part_forgotten(source: Source, node: ast.AST) -> _Found:
    """One name for what gives several values, and the other way round."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Tuple):
        names = node.targets[0].elts
        if len(names) == 2 and isinstance(node.value, ast.Call):
            yield node.targets[0], written_in(source, names[0])


def _nothing_returned(source: Source, node: ast.AST) -> _Found:
    if isinstance(node, ast.Return) and node.value is not None:
        yield node, written_in(source, node.value)


def _left_out(source: Source, node: ast.AST) -> _Found:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and _called(node.value) != "print":
        yield node, "pass"


def _other_loss(source: Source, node: ast.AST) -> _Found:
    if isinstance(node, ast.Constant) and node.value in _LOSSES:
        yield node, f'"{_LOSSES[node.value]}"'
    if isinstance(node, ast.Attribute) and node.attr in _LOSS_CLASSES:
        yield node, f"{written_in(source, node.value)}.{_LOSS_CLASSES[node.attr]}"


def _other_variable(source: Source, node: ast.AST) -> _Found:
    if isinstance(node, ast.FunctionDef | ast.Module):
        bound = [
            one.id
            for statement in node.body
            for one in ast.walk(statement)
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
        ]
        names = list(dict.fromkeys([*bound, *(one.arg for one in getattr(getattr(node, "args", None), "args", []))]))
        calls = [one for statement in node.body for one in ast.walk(statement) if isinstance(one, ast.Call)]
        for call in calls:
            for one in call.args:
                if isinstance(one, ast.Name) and one.id in names:
                    for other in names:
                        if other not in (one.id, "self"):
                            yield one, other


def _other_text(source: Source, node: ast.AST) -> _Found:
    """A letter less in a key or a name that a call is given."""
    if isinstance(node, ast.Constant) and type(node.value) is str and node.value.isidentifier() and len(node.value) > 3:
        yield node, f'"{node.value[:-1]}"'


OPERATORS: dict[str, _Operator] = {
    "unconverted": _unconverted,
    "unshaped": _unshaped,
    "without-word": _without_word,
    "other-number": _other_number,
    "quoted-number": _quoted_number,
    "other-axis": _other_axis,
    "swapped": _swapped,
    "not-called": _not_called,
    "unwrapped": _unwrapped,
    "attribute-forgotten": _attribute_forgotten,
    "item-forgotten": _item_forgotten,
    "part-forgotten": _part_forgotten,
    "nothing-returned": _nothing_returned,
    "left-out": _left_out,
    "other-loss": _other_loss,
    "other-variable": _other_variable,
    "other-text": _other_text,
}
