"""The number of a batch where a program writes it down under that name: a constant, an entry of a dictionary, an option
of the command line, a default, a field. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from whydied.source.calls import callee
from whydied.source.text import Source
from whydied.source.trees import written

_WORD = "batch"
_OPTIONS = frozenset({"add_argument", "option", "DEFINE_integer"})


class WrittenBatch(NamedTuple):
    """The number, and the name that it goes by."""

    file: str
    number: ast.Constant
    name: str


def written_batch(sources: Mapping[str, Source], rows: int) -> WrittenBatch | None:
    """The only place that gives something called a batch so many rows."""
    found = [
        WrittenBatch(file, value, name)
        for file, source in sources.items()
        for name, value in _named(source.tree)
        if isinstance(value, ast.Constant) and type(value.value) is int and value.value == rows and _is_batch(name)
    ]
    return found[0] if len({id(one.number) for one in found}) == 1 else None


def _is_batch(name: str) -> bool:
    return _WORD in name.lower() or name.lower() == "bs"


def _named(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            yield from ((written(target).rpartition(".")[2], node.value) for target in node.targets)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            yield written(node.target).rpartition(".")[2], node.value
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value, value
        elif isinstance(node, ast.Call):
            yield from _passed(node)
        elif isinstance(node, ast.arguments):
            positional = [*node.posonlyargs, *node.args]
            pairs = zip(positional[len(positional) - len(node.defaults) :], node.defaults, strict=True)
            yield from ((argument.arg, value) for argument, value in pairs)
            for argument, default in zip(node.kwonlyargs, node.kw_defaults, strict=True):
                if default is not None:
                    yield argument.arg, default


def _passed(call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """Keywords, and the default of an option."""
    texts = [str(one.value) for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    for word in call.keywords:
        option = word.arg == "default" and callee(call) in _OPTIONS
        yield (next((text for text in texts if _is_batch(text)), "") if option else word.arg or ""), word.value
    if callee(call) == "DEFINE_integer" and len(call.args) > 1:
        yield texts[0] if texts else "", call.args[1]
