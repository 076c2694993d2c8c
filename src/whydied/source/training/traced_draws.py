"""Random numbers that Python or NumPy draws inside of a function which TensorFlow traces: they are drawn once, and are
constants of the graph from then on. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from whydied.source.calls import REGISTERING, callee
from whydied.source.origins.contents import Contents
from whydied.source.origins.trails import Trails
from whydied.source.text import Source
from whydied.source.trees import Function, across, dotted_name, walk, within, written

_MAPPING = frozenset({"map", "flat_map", "filter", "interleave", "scan", "reduce"})
_DRAWS = frozenset(
    {
        *("uniform", "normal", "rand", "randn", "randint", "random", "integers", "random_sample", "standard_normal"),
        *("choice", "shuffle", "permutation", "gauss", "sample", "randrange", "binomial", "poisson", "beta", "choices"),
    }
)
_GENERATORS = ("default_rng", "RandomState")
_DEEPEST = 6


class Traced(NamedTuple):
    """A function that is traced, the call or mark that has it traced, and the draws in it and in what it calls."""

    function: Function | ast.Lambda
    file: str
    by: ast.expr
    draws: list[tuple[str, ast.Call]]


def traced_draws(sources: Mapping[str, Source], trails: Trails) -> Iterator[Traced]:
    """Functions that are passed to `map` of a data set, or that `tf.function` decorates, with what they draw."""
    contents = Contents(sources, trails)
    for file, call in across(sources, ast.Call):
        if callee(call) not in _MAPPING or not isinstance(call.func, ast.Attribute) or not call.args:
            continue
        passed = _function(trails, file, call.args[0])
        draws = _draws(sources, trails, *passed) if passed is not None else []
        if passed is not None and draws and _is_data_set(contents, file, call.func.value):
            yield Traced(passed[1], file, call, draws)
    for file, function in across(sources, ast.FunctionDef):
        for mark in function.decorator_list:
            whole = mark.func if isinstance(mark, ast.Call) else mark
            if (dotted_name(whole) or "").endswith("tf.function") and (
                draws := _draws(sources, trails, file, function)
            ):
                yield Traced(function, file, whole, draws)


def _is_data_set(contents: Contents, file: str, node: ast.expr) -> bool:
    return any(
        "Dataset." in (dotted_name(one.node) or "") or "dataset_from" in (dotted_name(one.node) or "")
        for origin in contents.of(file, node)
        for one in [origin._replace(node=origin.node.func) if isinstance(origin.node, ast.Call) else origin]
    )


def _function(trails: Trails, file: str, node: ast.expr) -> tuple[str, Function | ast.Lambda] | None:
    if isinstance(node, ast.Lambda):
        return file, node
    return trails.function(written(node).rpartition(".")[2]) if isinstance(node, ast.Name | ast.Attribute) else None


def _draws(
    sources: Mapping[str, Source], trails: Trails, file: str, function: Function | ast.Lambda
) -> list[tuple[str, ast.Call]]:
    """Those of the function and of the program's functions that it calls; what is run as Python in each step is not."""
    found: list[tuple[str, ast.Call]] = []
    waiting: list[tuple[str, Function | ast.Lambda, int]] = [(file, function, 0)]
    seen: set[int] = set()
    while waiting:
        where, one, depth = waiting.pop(0)
        if id(one) in seen or depth > _DEEPEST:
            continue
        seen.add(id(one))
        for call in [node for node in _inside(one) if isinstance(node, ast.Call)]:
            if callee(call) not in REGISTERING and (inner := trails.called(call)) is not None:
                waiting.append((*inner, depth + 1))
            elif callee(call) in _DRAWS and _is_of_python(sources, where, call):
                found.append((where, call))
    return found


def _inside(function: Function | ast.Lambda) -> Iterator[ast.AST]:
    return ast.walk(function.body) if isinstance(function, ast.Lambda) else iter(list(within(function)))


def _is_of_python(sources: Mapping[str, Source], file: str, call: ast.Call) -> bool:
    owner = written(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    if owner in ("np.random", "numpy.random", "random"):
        return owner != "random" or any(
            alias.name == "random" for one in walk(sources[file].tree, ast.Import) for alias in one.names
        )
    made = [one.value for _, one in across(sources, ast.Assign) if written(one.targets[0]) == owner]
    return bool(made) and all(isinstance(one, ast.Call) and callee(one) in _GENERATORS for one in made)
