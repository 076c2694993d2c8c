"""Dicts that hold inputs and targets together, where a batch or a training is given one of them, and the tuple of two
dicts that Keras takes instead. Pure.

A batch is what a generator yields, a function or a lambda returns, or `from_tensor_slices` is given; a training has its
data as the first argument of `fit`.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from whydied.source.assignments import assigned
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.text import Source
from whydied.source.trees import scope_at, walk, within, written

TRAINING = frozenset({"fit", "evaluate", "train_on_batch", "test_on_batch"})


class OneDict(NamedTuple):
    """`targets` are the keys that belong to outputs; `forms` are what may stand there, with the edits that write it:
    targets in a dict by the names of the outputs, then the only one by itself."""

    file: str
    line: int
    targets: tuple[str, ...]
    forms: list[tuple[str, list[Edit]]]


def dicts_of_both(sources: Mapping[str, Source], inputs: Collection[str], outputs: Collection[str]) -> list[OneDict]:
    """The places where one dict has inputs and outputs of a model."""
    return [
        made
        for file, source in sources.items()
        for node, keyword, code in _given(source.tree)
        if (made := _parted(source, file, node, keyword, code, inputs, outputs)) is not None
    ]


def _given(tree: ast.Module) -> Iterator[tuple[ast.expr, ast.keyword | None, str]]:
    """What is given as data, with its keyword, and how the two dicts `{x}` and `{y}` are written there."""
    for node in walk(tree, (ast.Yield, ast.Return, ast.Lambda, ast.Call)):
        if isinstance(node, ast.Yield | ast.Return) and node.value is not None:
            yield node.value, None, "{x}, {y}"
        elif isinstance(node, ast.Lambda):
            yield node.body, None, "({x}, {y})"
        elif isinstance(node, ast.Call) and callee(node) == "from_tensor_slices" and node.args:
            yield node.args[0], None, "({x}, {y})"
        elif isinstance(node, ast.Call) and callee(node) in TRAINING and passed_argument(node, "y") is None:
            word = next((one for one in node.keywords if one.arg == "x"), None)
            if word is not None:
                yield word.value, word, "x={x}, y={y}"
            elif len(node.args) == 1:
                yield node.args[0], None, "{x}, {y}"


def _parted(
    source: Source,
    file: str,
    node: ast.expr,
    keyword: ast.keyword | None,
    code: str,
    inputs: Collection[str],
    outputs: Collection[str],
) -> OneDict | None:
    keys = _keys(source, node)
    targets = tuple(one for one in keys if one in outputs and one not in inputs)
    others = [one for one in keys if one not in targets]
    if not targets or not set(others) & set(inputs):
        return None
    x, values = _apart(source, node, targets)
    named = "{" + ", ".join(f'"{key}": {value}' for key, value in zip(targets, values, strict=True)) + "}"
    texts = [code.replace("{x}", x).replace("{y}", y) for y in [named, *(values if len(values) == 1 else [])]]
    forms = [(text, [over(source, file, keyword or node, text)]) for text in texts]
    return OneDict(file, node.lineno, targets, forms)


def _apart(source: Source, node: ast.expr, targets: Collection[str]) -> tuple[str, list[str]]:
    """The dict without the targets, and the value of each of those."""
    if not isinstance(node, ast.Dict):
        name = written(node)
        return name, [f'{name}.pop("{key}")' for key in targets]
    items = [
        (key.value, f"{written_in(source, key)}: ", written_in(source, value))
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant)
    ]
    inputs = ", ".join(f"{before}{value}" for key, before, value in items if key not in targets)
    return "{" + inputs + "}", [value for key, _, value in items if key in targets]


def _keys(source: Source, node: ast.expr) -> list[str]:
    """The keys of a dict that is written out, or of one that a name was given and that was filled under it; none of one
    that has others too."""
    if isinstance(node, ast.Dict):
        keys = [one.value for one in node.keys if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        return keys if len(keys) == len(node.keys) else []
    if not isinstance(node, ast.Name):
        return []
    scope = scope_at(source.tree, node.lineno)
    made = [one.value for one in assigned(node.id, scope) if one.line < node.lineno]
    if not made or not isinstance(made[-1], ast.Dict):
        return []
    filled = [
        one.slice.value
        for one in within(scope)
        if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store) and written(one.value) == node.id
        if isinstance(one.slice, ast.Constant) and isinstance(one.slice.value, str)
    ]
    return list(dict.fromkeys([*_keys(source, made[-1]), *filled]))
