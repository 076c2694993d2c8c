"""Pictures whose channels are written first, where the layers take them last, as edits. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from whydied.source.assignments import assigned
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.text import Source
from whydied.source.trees import across, walk

_SPATIAL = frozenset({"Conv2D", "MaxPooling2D", "AveragePooling2D", "UpSampling2D", "Conv2DTranspose"})
_SHAPES = ("shape", "input_shape")
_CHANNELS = (1, 3, 4)
_LEAST_SIDE = 8


class ChannelsFirst(NamedTuple):
    """The shape that is written with its channels first, in a file, and all such sequences turned round."""

    file: str
    line: int
    shape: str
    turned: str
    edits: list[Edit]


def channels_first(sources: Mapping[str, Source]) -> ChannelsFirst | None:
    """The only shape that is declared so, in a program whose layers say nothing of the order."""
    calls = list(across(sources, ast.Call))
    spatial = [call for _, call in calls if callee(call) in _SPATIAL]
    says = any(passed_argument(call, "data_format") is not None for call in spatial)
    if not spatial or says or any("channels_first" in line for source in sources.values() for line in source.lines):
        return None
    shapes = [(file, node) for file, call in calls for node in _declared(call)]
    declared = [(file, node) for file, node in shapes if _is_channels_first(sources, file, node)]
    texts = {ast.unparse(node) for _, node in declared}
    if len(texts) != 1:
        return None
    file, node = declared[0]
    parts = [ast.dump(one) for one in node.elts]
    edits = [edit for where, source in sources.items() for edit in _turned(source, where, parts)]
    words = [written_in(sources[file], one) for one in node.elts]
    return ChannelsFirst(file, node.lineno, f"({', '.join(words)})", f"({', '.join([*words[1:], words[0]])})", edits)


def _declared(call: ast.Call) -> Iterator[ast.Tuple]:
    given = [word.value for word in call.keywords if word.arg in _SHAPES]
    given += call.args[:1] if callee(call) in ("Input", "InputLayer") else []
    yield from (one for one in given if isinstance(one, ast.Tuple) and len(one.elts) == 3)


def _is_channels_first(sources: Mapping[str, Source], file: str, node: ast.Tuple) -> bool:
    first, *sides = [_number(sources[file].tree, one) for one in node.elts]
    return first in _CHANNELS and all(side >= _LEAST_SIDE for side in sides)


def _number(tree: ast.Module, node: ast.expr) -> int:
    """What is written, or what the module assigns to the name just once; 0 where that is not known."""
    if isinstance(node, ast.Name):
        made = [one.value for one in assigned(node.id, tree)]
        node = made[0] if len(made) == 1 and made[0] is not None else node
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else 0


def _turned(source: Source, file: str, parts: list[str]) -> Iterator[Edit]:
    """Every sequence that ends in these parts, with the first of them behind the others."""
    for node in walk(source.tree, (ast.Tuple, ast.List, ast.Call)):
        elements = node.args if isinstance(node, ast.Call) else getattr(node, "elts", [])
        last = elements[-len(parts) :]
        if [ast.dump(one) for one in last] != parts:
            continue
        words = [written_in(source, one) for one in last]
        for one, text in zip(last, [*words[1:], words[0]], strict=True):
            yield over(source, file, one, text)
