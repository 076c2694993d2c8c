"""Whether a program looks itself at what its training gave, and acts where that is not finite. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from whydied.source.nan_tests import NAN_TESTS
from whydied.source.text import Source
from whydied.source.trees import across, last_name, written

_OF_TRAINING = re.compile(r"loss|history|logs|cost|grad|weight|error|score|metric|perplexity|elbo", re.IGNORECASE)
_OF_TRAINING_ONLY = re.compile(r"loss|history|cost|perplexity|elbo", re.IGNORECASE)
"""A table of data may have a column of weights or of scores, and rows without them are dropped there too."""
_TRAINING_CALLS = frozenset(
    {*("fit", "evaluate", "train_on_batch", "test_on_batch", "train_step", "run", "apply_gradients"), "get_weights"}
)
_CHOOSING = frozenset({"nanargmin", "nanargmax", "nanmin", "nanmax", "dropna"})
"""What leaves NaN out of a choice."""
_PRUNING = frozenset({"TrialPruned", "FailedTrialError", "CancelEvaluation"})
"""What Optuna, KerasTuner and PyHopper catch: the trial is over, the search goes on."""
_SAYING = frozenset({"print", "warn", "warning", "info", "debug", "error", "exception", "write", "log", "exit"})
_DEEPEST = 3


def acts_on_divergence(sources: Mapping[str, Source]) -> bool:
    """Whether a condition of the program tests a loss, a metric, gradients or weights for NaN or infinite values, and
    more than a message follows; or it leaves such values out of a choice; or Keras is asked to stop the training."""
    if any(last_name(call.func) == "TerminateOnNaN" for _, call in across(sources, ast.Call)):
        return True
    caught = _PRUNING | {name for source in sources.values() for name in _caught(source.tree)}
    return any(
        _is_about_training(source.tree, test, _OF_TRAINING)
        for source in sources.values()
        for test in _acting_tests(source.tree, caught)
    ) or any(
        _is_about_training(source.tree, chosen, _OF_TRAINING_ONLY)
        for source in sources.values()
        for chosen in _choices(source.tree)
    )


def _acting_tests(tree: ast.AST, caught: frozenset[str]) -> Iterator[ast.expr]:
    """What is tested for NaN in conditions on which something depends."""
    for node in ast.walk(tree):
        conditions: list[ast.expr] = []
        if isinstance(node, ast.If | ast.While) and (_acts(node.body, caught) or _acts(node.orelse, caught)):
            conditions = [node.test]
        elif isinstance(node, ast.Assign | ast.Return) and isinstance(node.value, ast.IfExp):
            conditions = [node.value.test]
        elif isinstance(node, ast.comprehension):
            conditions = node.ifs
        for condition in conditions:
            yield from _tested(condition)


def _choices(tree: ast.AST) -> Iterator[ast.expr]:
    """What values are chosen from such that NaN is left out."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript):
            yield from _tested(node.slice)
        elif isinstance(node, ast.Call) and last_name(node.func) in _CHOOSING:
            yield node
        elif isinstance(node, ast.Call) and last_name(node.func) == "filter":
            for one in node.args[:1]:
                if isinstance(one, ast.Lambda):
                    yield from _tested(one.body)


def _tested(condition: ast.expr) -> Iterator[ast.expr]:
    """What a condition tests for NaN, by a function or by comparing it with itself."""
    for part in ast.walk(condition):
        if isinstance(part, ast.Call) and last_name(part.func) in NAN_TESTS:
            yield from part.args[:1] or [part.func]
        elif isinstance(part, ast.Compare) and written(part.left) == written(part.comparators[0]):
            yield part.left


def _acts(body: list[ast.stmt], caught: frozenset[str]) -> bool:
    """Whether more is done than to say so, and to raise: whoever raises has given up, unless the program catches it."""
    return any(
        (last_name(one.exc.func if isinstance(one.exc, ast.Call) else one.exc) in caught)
        if isinstance(one, ast.Raise) and one.exc is not None
        else not isinstance(one, ast.Pass | ast.Raise)
        and not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Call) and last_name(one.value.func) in _SAYING)
        for one in body
    )


def _caught(tree: ast.AST) -> Iterator[str]:
    """The exceptions that the program catches by name, and after which it goes on."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler) and node.type is not None and not isinstance(node.body[-1], ast.Raise):
            for kind in node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]:
                yield last_name(kind) or ""


def _is_about_training(tree: ast.AST, tested: ast.expr, named: re.Pattern[str], depth: int = 0) -> bool:
    """Whether what is tested is named like a result of a training, or was assigned from one."""
    if named.search(written(tested)) or any(
        last_name(call.func) in _TRAINING_CALLS for call in ast.walk(tested) if isinstance(call, ast.Call)
    ):
        return True
    names = {node.id for node in ast.walk(tested) if isinstance(node, ast.Name)}
    return depth < _DEEPEST and any(
        _is_about_training(tree, value, named, depth + 1)
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
