"""A class of the program's own that learns from one table and is asked about another: as scikit-learn's do, but what
raises is the arithmetic with what it learnt. Pure."""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.data.failing_data import Failing
from whydied.records import Operand
from whydied.source.calls import callee
from whydied.source.trees import Function, across, function_at, nodes_on, tree_of, walk, within, written


class OwnEstimator(NamedTuple):
    """`found` is at the line that calls the method; `fits` are the methods that learn what did not fit."""

    found: Failing
    call: ast.Call
    owner: ast.expr
    type: str
    features: int
    columns: int
    fits: frozenset[str]


def own_estimator(case: Case, found: Failing) -> OwnEstimator | None:
    """The object whose method failed, where the arithmetic there was one column against as many as it learnt from."""
    tree = tree_of(found.sources, found.place.file)
    method = function_at(tree, found.place.line)
    owner = next((one for one in walk(tree, ast.ClassDef) if method in one.body), None)
    caller = [one for one in found.link.frames if one.user][-2:-1]
    learnt = next((one for one in found.link.operands if one.text.startswith("self.") and _last(one) > 1), None)
    given = next((one for one in found.link.operands if not one.text.startswith("self.") and _last(one) == 1), None)
    if method is None or owner is None or not caller or learnt is None or given is None:
        return None
    place = case.locate(caller[0])
    fits = {one.name for one in owner.body if isinstance(one, Function) and one is not method and _learns(one, learnt)}
    source = found.sources.get(place.file)
    for node in nodes_on(source, place.line) if source is not None and fits else []:
        if isinstance(node, ast.Call) and callee(node) == method.name and isinstance(node.func, ast.Attribute):
            subject = written(node.func.value)
            if _is_fitted(found, subject, fits):
                at_caller = found._replace(place=place)
                features = _last(learnt)
                return OwnEstimator(at_caller, node, node.func.value, owner.name, features, 1, frozenset(fits))
    return None


def _last(one: Operand) -> int:
    return (one.shape[-1] or 0) if one.shape else 0


def _learns(function: Function, learnt: Operand) -> bool:
    """Whether a method computes an attribute out of what it is given."""
    given = {one.arg for one in function.args.args[1:]}
    return function.name != "__init__" and any(
        isinstance(node, ast.Assign)
        and any(written(target) == learnt.text for target in node.targets)
        and bool({one.id for one in walk(node.value, ast.Name)} & given)
        for node in within(function)
    )


def _is_fitted(found: Failing, subject: str, fits: set[str]) -> bool:
    return any(
        isinstance(call.func, ast.Attribute) and call.func.attr in fits and written(call.func.value) == subject
        for _, call in across(found.sources, ast.Call)
    )
