"""Gradient accumulation as the source writes it by hand: what adds up, whether it is reset and divided. Pure.

An accumulator is a name that gradients of a tape are added to and that an optimizer is given. Names are followed
through loops, assignments and calls of functions of one file; what cannot be followed is not an accumulator.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.source.calls import bound_arguments, callee, method_calls
from whydied.source.statements import loops_in
from whydied.source.trees import walk

_APPLY = frozenset({"apply_gradients", "apply"})
_BEGINNINGS = frozenset({"__init__", "build"})


class Accumulator(NamedTuple):
    """`name` as the source writes it; `added` is the line that adds to it, `applied` the one that applies it."""

    name: str
    added: int
    applied: int
    is_reset: bool
    is_divided: bool


def accumulators(tree: ast.Module) -> list[Accumulator]:
    aliases = _aliases(tree)
    gradients = _gradient_names(tree, aliases)
    found = []
    for name, line, value in _additions(tree, aliases):
        applied = [call for _, call in method_calls(ast.walk(tree), _APPLY) if name in _reached(call, aliases)]
        if not applied or not (_names(value) & gradients):
            continue
        divided = _divides(value) or any(_divides(argument) for call in applied for argument in call.args)
        found.append(
            Accumulator(name, line, applied[0].lineno, _is_reset(tree, name, aliases), divided or _loss_divided(tree))
        )
    return found


def _additions(tree: ast.Module, aliases: dict[str, set[str]]) -> list[tuple[str, int, ast.expr]]:
    """`total.assign_add(g)`, `total += g`, `total = total + g`, `totals = [t + g for t, g in zip(totals, gs)]`."""
    found: list[tuple[str, int, ast.expr]] = []
    for node in ast.walk(tree):
        for variable, call in method_calls([node], ("assign_add",)):
            found += [(name, call.lineno, value) for value in call.args[:1] for name in _origins(variable, aliases)]
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
            found += [(name, node.lineno, node.value) for name in _origins(node.target, aliases)]
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                own = _base(target)
                if own and own in _names(node.value) and _adds(node.value):
                    found.append((own, node.lineno, node.value))
    return found


def _adds(value: ast.expr) -> bool:
    return any(isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Add) for inner in ast.walk(value))


def _gradient_names(tree: ast.Module, aliases: dict[str, set[str]]) -> set[str]:
    """Names that hold what a tape gave, with the names that loops and parameters give to it or its parts."""
    given = {
        node.name
        for node in walk(tree, ast.FunctionDef)
        if any(inner.value and _differentiates(inner.value, set()) for inner in walk(node, ast.Return))
    }
    found: set[str] = set()
    for node in walk(tree, ast.Assign):
        if _differentiates(node.value, given):
            found |= {_base(target) for target in node.targets}
    for parameter, argument in _arguments(tree):
        if _differentiates(argument, given):
            found.add(parameter)
    return found | {alias for alias, origins in aliases.items() if origins & found}


def _differentiates(value: ast.expr, given: set[str]) -> bool:
    """Whether a tape is asked, or a function that answers with what a tape gave."""
    calls = walk(value, ast.Call)
    return any(callee(call) in given for call in calls) or any(method_calls(calls, ("gradient",)))


def _arguments(tree: ast.Module) -> list[tuple[str, ast.expr]]:
    """The parameters of the functions of a file, with the arguments that calls give them."""
    functions = {node.name: node for node in walk(tree, ast.FunctionDef)}
    return [
        pair
        for call in walk(tree, ast.Call)
        if callee(call) in functions
        for pair in bound_arguments(call, functions[callee(call)]).items()
    ]


def _aliases(tree: ast.Module) -> dict[str, set[str]]:
    """What the targets of loops and comprehensions go over: `for a, g in zip(totals, gradients)`."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.comprehension):
            for target, source in _pairs(node.target, node.iter):
                found.setdefault(target, set()).update(_names(source))
    for parameter, argument in _arguments(tree):
        if _base(argument):
            found.setdefault(parameter, set()).add(_base(argument))
    return found


def _pairs(target: ast.expr, source: ast.expr) -> list[tuple[str, ast.expr]]:
    called = callee(source) if isinstance(source, ast.Call) else ""
    parts = target.elts if isinstance(target, ast.Tuple) else []
    given = source.args if isinstance(source, ast.Call) else []
    if called == "zip" and parts and len(parts) == len(given):
        return [pair for part, one in zip(parts, given, strict=True) for pair in _pairs(part, one)]
    if called == "enumerate" and len(parts) == 2 and given:
        return _pairs(parts[1], given[0])
    return [(name, source) for name in _names(target)]


def _reached(call: ast.Call, aliases: dict[str, set[str]]) -> set[str]:
    names = {name for argument in call.args for name in _names(argument)}
    return names | {origin for name in names for origin in aliases.get(name, ())}


def _is_reset(tree: ast.Module, name: str, aliases: dict[str, set[str]]) -> bool:
    """Whether something makes the accumulator anew: `assign` in a loop or a function, a new value in a loop, or one of
    an attribute in a method that does not begin it. A new value of a variable in a function is how it begins."""
    loops, functions = loops_in(tree), walk(tree, ast.FunctionDef)
    assigned = {
        origin
        for outer in [*loops, *functions]
        for variable, _ in method_calls(ast.walk(outer), ("assign",))
        for origin in _origins(variable, aliases)
    }
    renewed = {
        _base(target)
        for outer in (*loops, *(one for one in functions if "." in name and one.name not in _BEGINNINGS))
        for node in walk(outer, ast.Assign)
        if name not in _names(node.value)
        for target in node.targets
    }
    return name in assigned | renewed


def _divides(value: ast.AST) -> bool:
    return any(
        (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div))
        or (isinstance(node, ast.Call) and callee(node) in ("divide", "divide_no_nan", "scalar_mul", "reduce_mean"))
        or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and "assign_add" not in ast.unparse(node))
        for node in ast.walk(value)
    )


def _loss_divided(tree: ast.Module) -> bool:
    """A loss that is divided before it is differentiated gives a mean as well."""
    return any(
        isinstance(node, ast.Assign | ast.AugAssign)
        and "loss" in ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target)
        and (
            (isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div))
            or any(isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Div) for inner in ast.walk(node.value))
        )
        for node in ast.walk(tree)
    )


def _origins(node: ast.expr, aliases: dict[str, set[str]]) -> set[str]:
    """The container that an element stands for, else the name itself."""
    base = _base(node)
    return aliases.get(base) or ({base} if base else set())


def _base(node: ast.AST) -> str:
    while isinstance(node, ast.Subscript | ast.Starred):
        node = node.value
    if isinstance(node, ast.Attribute):
        return f"{_base(node.value)}.{node.attr}".lstrip(".")
    return node.id if isinstance(node, ast.Name) else ""


def _names(node: ast.AST) -> set[str]:
    return {_base(inner) for inner in ast.walk(node) if isinstance(inner, ast.Name | ast.Attribute)} - {""}
