"""Generators and iterators in the user's source: which function yields or gives the batches, which iterator is asked.
Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from whydied.source.calls import callee, method_calls
from whydied.source.location import Location
from whydied.source.text import Source
from whydied.source.trees import across, last_name, nodes_at, within, written

_BATCHES = frozenset({"Sequence", "PyDataset"})
"""The classes of Keras that give batches by their number."""


class Generator(NamedTuple):
    """A function that yields, or a class that returns batches, and the line where it does so."""

    name: str
    file: str
    line: int


def only_generator(sources: Mapping[str, Source], failing: Location | None) -> Generator | None:
    """The function that yielded: the only one of the program, or the only one that the failing statement or a call of
    `from_generator` names."""
    found: list[Generator] = []
    for file, function in across(sources, ast.FunctionDef):
        lines = [node.lineno for node in within(function) if isinstance(node, ast.Yield)]
        found += [Generator(function.name, file, lines[0])] if len(lines) == 1 else []
    return _only(found, sources, failing)


def only_giver(sources: Mapping[str, Source], failing: Location | None) -> Generator | None:
    """The generator, else the class of batches whose `__getitem__` returns them: it is named by the class."""
    batches: list[Generator] = []
    for file, kind in across(sources, ast.ClassDef):
        if not any(last_name(base) in _BATCHES for base in kind.bases):
            continue
        for method in kind.body:
            if isinstance(method, ast.FunctionDef) and method.name == "__getitem__":
                lines = [node.lineno for node in within(method) if isinstance(node, ast.Return) and node.value]
                batches += [Generator(kind.name, file, lines[0])] if len(lines) == 1 else []
    given = _only(batches, sources, failing)
    found = only_generator(sources, failing)
    if given is None or found is None:
        return given or found
    return _only([given, found], sources, failing)


def _only(found: list[Generator], sources: Mapping[str, Source], failing: Location | None) -> Generator | None:
    if len(found) > 1:
        named = _named(sources, failing)
        found = [one for one in found if one.name in named]
    return found[0] if len(found) == 1 else None


def loop_targets(sources: Mapping[str, Source], place: Location) -> list[ast.expr]:
    """What the loops of a statement, also those in its expressions, give each element to."""
    nodes = nodes_at(sources, place)
    inner = [one.target for node in nodes for one in getattr(node, "generators", [])]
    return [*inner, *(node.target for node in nodes if isinstance(node, ast.For | ast.AsyncFor))]


def _named(sources: Mapping[str, Source], failing: Location | None) -> set[str]:
    """The names in the failing statement, in what was assigned to those, and in calls of `from_generator`."""
    nodes: list[ast.AST] = list(nodes_at(sources, failing)) if failing else []
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    for _, assigned in across(sources, ast.Assign):
        if any(isinstance(one, ast.Name) and one.id in used for one in assigned.targets):
            nodes += ast.walk(assigned.value)
    for _, call in across(sources, ast.Call):
        nodes += ast.walk(call) if isinstance(call.func, ast.Attribute) and callee(call) == "from_generator" else ()
    return {last_name(node) for node in nodes} - {""}


def iterator_asked(sources: Mapping[str, Source], failing: Location | None) -> str | None:
    """The iterator that the failing statement asks for its next element, else the only one that the program has for
    `get_next`."""
    nodes = nodes_at(sources, failing) if failing else []
    for call in [node for node in nodes if isinstance(node, ast.Call)]:
        function = written(call.func)
        if function == "next" and call.args:
            return written(call.args[0])
        if function.endswith(".get_next"):
            return function.removesuffix(".get_next")
    asked = {
        written(one) if isinstance(one, ast.Name | ast.Attribute) else ""
        for source in sources.values()
        for one, _ in method_calls(ast.walk(source.tree), ("get_next",))
    }
    return next(iter(asked)) or None if len(asked) == 1 else None
