"""The metric that a program asks the logs for and did not compile, added to `compile`. Pure."""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, line_words
from whydied.diagnose.errors.advice import Way
from whydied.records import Frame
from whydied.source.calls import callee
from whydied.source.edits.call_edits import add_argument
from whydied.source.edits.edit import Edit, end_of, over, written_in
from whydied.source.text import Source
from whydied.source.trees import across

NAMES = frozenset(
    {
        *("acc", "accuracy", "binary_accuracy", "categorical_accuracy", "sparse_categorical_accuracy"),
        *("mae", "mse", "mape", "msle", "mean_absolute_error", "mean_squared_error", "mean_absolute_percentage_error"),
        *("auc", "precision", "recall", "cosine_similarity", "root_mean_squared_error", "poisson", "kl_divergence"),
        *("top_k_categorical_accuracy", "sparse_top_k_categorical_accuracy", "hinge", "binary_crossentropy"),
    }
)
"""What Keras takes for a metric by its name, and logs under it."""


def measured(case: Case, name: str) -> list[Way]:
    """The only `compile` of the program with one more metric; nothing where Keras knows none of that name."""
    calls = [(file, one) for file, one in across(case.sources, ast.Call) if _is_compile(one)]
    if name not in NAMES or len(calls) != 1:
        return []
    file, call = calls[0]
    edit = _added(case.sources[file], file, call, name)
    where = line_words(Frame(file=file, line=call.lineno, function="", user=True))
    return [Way(f"add `{name}` to the metrics of `compile` on {where}", [edit])] if edit is not None else []


def _is_compile(call: ast.Call) -> bool:
    """A model's, not that of a pattern or of source code."""
    words = {one.arg for one in call.keywords}
    is_models = bool(words & {"loss", "optimizer"}) or len(call.args) == 2
    return callee(call) == "compile" and isinstance(call.func, ast.Attribute) and is_models and len(call.args) <= 2


def _added(source: Source, file: str, call: ast.Call, name: str) -> Edit | None:
    if any(isinstance(one, ast.Starred) for one in call.args) or any(one.arg is None for one in call.keywords):
        return None
    given = next((one.value for one in call.keywords if one.arg == "metrics"), None)
    if given is None:
        return add_argument(source, file, call, f'metrics=["{name}"]')
    if isinstance(given, ast.Constant) and isinstance(given.value, str):
        return over(source, file, given, f'[{written_in(source, given)}, "{name}"]')
    if not isinstance(given, ast.List):
        return None
    place = end_of(source, given.elts[-1]) if given.elts else None
    if place is None:
        return over(source, file, given, f'["{name}"]')
    return Edit(file, place, place, f', "{name}"')
