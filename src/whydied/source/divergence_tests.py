"""Whether a program looks itself at what its training gave, and acts where that is not finite. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from whydied.source.nan_tests import NAN_TESTS
from whydied.source.text import Source
from whydied.source.trees import across, last_name, written

_OF_TRAINING = re.compile(r"loss|history|logs|cost|grad|weight|error|score|metric|perplexity|elbo", re.IGNORECASE)
_TRAINING_CALLS = frozenset(
    {*("fit", "evaluate", "train_on_batch", "test_on_batch", "train_step", "run", "apply_gradients"), "get_weights"}
)
_SAYING = frozenset({"print", "warn", "warning", "info", "debug", "error", "exception", "write", "log", "exit"})
_DEEPEST = 3


def acts_on_divergence(sources: Mapping[str, Source]) -> bool:
    """Whether a condition of the program tests a loss, a metric, gradients or weights for NaN or infinite values, and
    more than a message follows; or Keras is asked to stop the training there."""
    if any(last_name(call.func) == "TerminateOnNaN" for _, call in across(sources, ast.Call)):
        return True
    return any(
        _is_about_training(source.tree, test) for source in sources.values() for test in _acting_tests(source.tree)
    )


def _acting_tests(tree: ast.AST) -> Iterator[ast.expr]:
    """What is tested for NaN in conditions on which something depends."""
    for node in ast.walk(tree):
        conditions: list[ast.expr] = []
        if isinstance(node, ast.If | ast.While) and (_acts(node.body) or _acts(node.orelse)):
            conditions = [node.test]
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.IfExp):
            conditions = [node.value.test]
        elif isinstance(node, ast.comprehension):
            conditions = node.ifs
        for condition in conditions:
            for call in (part for part in ast.walk(condition) if isinstance(part, ast.Call)):
                if last_name(call.func) in NAN_TESTS:
                    yield from call.args[:1] or [call.func]


def _acts(body: list[ast.stmt]) -> bool:
    """Whether more is done than to say so, and to raise: whoever raises has given up."""
    return any(
        not isinstance(one, ast.Pass | ast.Raise)
        and not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Call) and last_name(one.value.func) in _SAYING)
        for one in body
    )


def _is_about_training(tree: ast.AST, tested: ast.expr, depth: int = 0) -> bool:
    """Whether what is tested is named like a result of a training, or was assigned from one."""
    if _OF_TRAINING.search(written(tested)) or any(
        last_name(call.func) in _TRAINING_CALLS for call in ast.walk(tested) if isinstance(call, ast.Call)
    ):
        return True
    names = {node.id for node in ast.walk(tested) if isinstance(node, ast.Name)}
    return depth < _DEEPEST and any(
        _is_about_training(tree, value, depth + 1)
        for targets, value in _bindings(tree)
        if any(isinstance(one, ast.Name) and one.id in names for target in targets for one in ast.walk(target))
    )


def _bindings(tree: ast.AST) -> Iterator[tuple[list[ast.expr], ast.expr]]:
    """What names are given: by assignments, loops and comprehensions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            yield node.targets, node.value
        elif isinstance(node, ast.For | ast.comprehension):
            yield [node.target], node.iter
