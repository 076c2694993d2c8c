"""Edits that cut an input that can be far longer than usual: where a step is called with it, or where a generator
yields it. Pure. What is short enough stays as it is."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence

from whydied.source.calls import callee, passed_argument
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.text import Source
from whydied.source.trees import nodes_on, walk, within, written

_PLAIN = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)


def index_of(axes: Collection[int], longest: int) -> str:
    """`[:, :128]` for axis 1."""
    parts = [f":{longest}" if axis in axes else ":" for axis in range(max(axes) + 1)]
    return f"[{', '.join(parts)}]"


def cut_in_call(source: Source, file: str, line: int, words: Sequence[str], text: str, index: str) -> list[Edit]:
    """Arguments, by position or keyword, of the only call of a statement whose first of them is written so."""
    calls = [
        node
        for node in nodes_on(source, line)
        if isinstance(node, ast.Call) and (given := passed_argument(node, words[0])) is not None
        if written(given) == text
    ]
    if len(calls) != 1:
        return []
    every = [passed_argument(calls[0], word) for word in words]
    return [_cut(source, file, one, index) for one in every if one is not None]


def cut_in_generator(
    sources: Mapping[str, Source], parts: Sequence[int], index: str, named: Collection[str]
) -> list[Edit]:
    """Parts of what the only `yield` of a generator gives. Of several generators one of those names is taken."""
    found = [
        (file, source, function, yields[0])
        for file, source in sources.items()
        for function in walk(source.tree, ast.FunctionDef)
        if len(yields := [node for node in within(function) if isinstance(node, ast.Yield)]) == 1
    ]
    chosen = found if len(found) == 1 else [one for one in found if one[2].name in named]
    if len(chosen) != 1:
        return []
    file, source, _, node = chosen[0]
    value = node.value
    values = value.elts if isinstance(value, ast.Tuple) else [value] if value is not None else []
    given = [values[part] for part in parts if part < len(values)]
    return [_cut(source, file, one, index) for one in given] if len(given) == len(parts) else []


def generators_named(sources: Mapping[str, Source]) -> set[str]:
    """The functions that the program hands to `from_generator` or whose result it hands to `fit`."""
    found: set[str] = set()
    for source in sources.values():
        for call in walk(source.tree, ast.Call):
            if callee(call) in ("from_generator", "fit", "fit_generator"):
                given = passed_argument(call, "generator") or passed_argument(call, "x") or passed_argument(call, "0")
                found |= (
                    {node.id for node in ast.walk(given) if isinstance(node, ast.Name)} if given is not None else set()
                )
    return found


def cut_in_pipeline(source: Source, file: str, line: int, method: str, index: str) -> list[Edit]:
    """The data set that a call of Keras is given, with the first part of its elements cut."""
    calls = [node for node in nodes_on(source, line) if isinstance(node, ast.Call) and callee(node) == method]
    data = (passed_argument(calls[0], "x") or passed_argument(calls[0], "0")) if len(calls) == 1 else None
    if not isinstance(data, ast.Name | ast.Attribute):
        return []
    return [over(source, file, data, f"{written(data)}.map(lambda x, *rest: (x{index}, *rest))")]


def _cut(source: Source, file: str, node: ast.expr, index: str) -> Edit:
    text = written_in(source, node)
    return over(source, file, node, f"{text}{index}" if isinstance(node, _PLAIN) else f"({text}){index}")
