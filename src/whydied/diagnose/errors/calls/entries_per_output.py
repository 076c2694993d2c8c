"""A flat list of metrics whose length is not that of the model's outputs: one entry for each output. Pure."""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case
from whydied.diagnose.errors.calls.candidates import Answer
from whydied.diagnose.finding import Culprit
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.call_edits import constant_behind
from whydied.source.edits.edit import Change, over, written_in
from whydied.source.text import Source
from whydied.source.trees import across, written
from whydied.texts import layers

_OF_CLASSES = ("acc", "auc", "precision", "recall", "f1", "iou", "logloss")
_OF_NUMBERS = ("mae", "mse", "mape", "msle", "absolute", "squared", "r2score")


def entries_per_output(case: Case, text: str) -> Answer | None:
    """Keras takes a list of metrics for a model of several outputs as one entry for each of them."""
    told = layers.METRICS_OF_OUTPUTS.pattern.search(text)
    if told is None:
        return None
    argument, outputs = told["argument"], told["outputs"].count("'X'")
    found = [
        (file, call, given)
        for file, call in across(case.project, ast.Call)
        if callee(call) == "compile" and (given := passed_argument(call, argument)) is not None
    ]
    if len(found) != 1 or outputs < 2 or not told["outputs"].startswith(("[", "(")):
        return None
    file, call, given = found[0]
    source = case.project[file]
    node = given if isinstance(given, ast.List | ast.Tuple) else constant_behind(source.tree, given)
    if not isinstance(node, ast.List | ast.Tuple) or len(node.elts) == outputs or not node.elts:
        return None
    if any(isinstance(one, ast.List | ast.Tuple | ast.Dict | ast.Starred) for one in node.elts):
        return None
    count = f"{len(node.elts)} {'entry' if len(node.elts) == 1 else 'entries'}"
    words = (
        f"the model has {outputs} outputs, and `{argument}={written(node)}` has {count}: a list has one entry for each "
        "output"
    )
    culprit = Culprit(kind="argument", name=argument, value=written(node))
    advice = [f"Give `{argument}` one entry per output, each with its own metrics; `[]` for an output without any."]
    text = _per_output(source, call, node, outputs)
    changes = []
    if text:
        advice = [f"Write `{argument}={text}`, one entry per output."]
        changes = [Change(title=f"Write `{argument}={text}`", kind="argument", edits=[over(source, file, node, text)])]
    return Answer(words, file, node.lineno, culprit, advice, changes)


def _per_output(source: Source, call: ast.Call, node: ast.List | ast.Tuple, outputs: int) -> str:
    """The metrics of each output; empty where one object of the program would have to measure several."""
    losses = _losses(call, outputs)
    entries = [[one for one in node.elts if _fits(written(one), loss)] for loss in losses]
    used = [one for entry in entries for one in entry]
    if any(one not in used for one in node.elts):
        entries = [list(node.elts) for _ in losses]
    shared = [one for one in node.elts if sum(one in entry for entry in entries) > 1]
    if any(isinstance(one, ast.Name) for one in shared):
        return ""
    texts = [[written_in(source, one) for one in entry] for entry in entries]
    if all(len(one) == 1 for one in texts):
        return f"[{', '.join(one[0] for one in texts)}]"
    listed = [f"[{', '.join(one)}]" for one in texts]
    return f"[{', '.join(listed)}]"


def _losses(call: ast.Call, outputs: int) -> list[str]:
    given = passed_argument(call, "loss")
    parts: list[ast.expr] = []
    if isinstance(given, ast.List | ast.Tuple):
        parts = given.elts
    elif isinstance(given, ast.Dict):
        parts = given.values
    elif given is not None:
        parts = [given] * outputs
    return [written(one).lower() for one in parts] if len(parts) == outputs else [""] * outputs


def _fits(metric: str, loss: str) -> bool:
    """Whether a metric may measure an output of this loss: not where one is for classes and the other for numbers."""
    name = metric.lower()
    counts, measures = any(one in name for one in _OF_CLASSES), any(one in name for one in _OF_NUMBERS)
    of_classes, of_numbers = "entropy" in loss, any(one in loss for one in _OF_NUMBERS)
    return not (counts and not measures and of_numbers) and not (measures and not counts and of_classes)
