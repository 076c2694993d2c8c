"""Edits of programs that make one model after another: old ones released, steps that trace nothing. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from whydied.source.assignments import targets
from whydied.source.edits.call_edits import add_argument
from whydied.source.edits.edit import Edit, line_after, line_before, over, written_in
from whydied.source.edits.import_edits import imported
from whydied.source.edits.shapes.library_names import library_name
from whydied.source.edits.statement_edits import statement_at
from whydied.source.text import Source
from whydied.source.trees import across, nodes_on, scope_at, within, written

_EAGER = "run_eagerly"
_PREDICTING = frozenset({"predict", "predict_on_batch"})
_NOT_MODELS = frozenset({"re", "regex"})


def released(source: Source, file: str, line: int, name: str) -> list[Edit]:
    """What Keras and the garbage collector still hold of earlier models let go before the next one is made: above the
    first statement of the same function that gives the model its name."""
    made = [
        node.lineno
        for node in within(scope_at(source.tree, line))
        if isinstance(node, ast.Assign | ast.AnnAssign) and name in [written(one) for one in targets(node)]
        if node.lineno <= line
    ]
    at = statement_at(source, min(made, default=line))
    if at is None or source.lines[at.lineno - 1][: at.col_offset].strip():
        return []
    clear = library_name(source, file, "keras.backend.clear_session")
    indent = source.lines[at.lineno - 1][: at.col_offset]
    above = line_before(source, file, at.lineno, f"{clear.text}()\n{indent}gc.collect()")
    return [*imported(source, file, "gc"), *clear.needed, above]


def without_model(source: Source, file: str, line: int, kept: str) -> list[Edit]:
    """What `fit` gave, kept without the model that it refers to."""
    node = statement_at(source, line)
    if node is None or hasattr(node, "body") or isinstance(node, ast.Return):
        return []
    indent = source.lines[node.lineno - 1][: node.col_offset]
    text = f"{kept}.set_model(None)\n{indent}gc.collect()"
    return [*imported(source, file, "gc"), line_after(source, file, node.lineno, text)]


def run_eagerly(sources: Mapping[str, Source]) -> list[Edit]:
    """Every model compiled so that its steps are not traced: a trace keeps the variables of its model for ever."""
    calls = [
        (file, node)
        for file, node in across(sources, ast.Call)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "compile" and (node.args or node.keywords)
        if written(node.func.value) not in _NOT_MODELS
    ]
    if any(word.arg in (_EAGER, "jit_compile", None) for _, call in calls for word in call.keywords):
        return []
    return [add_argument(sources[file], file, call, f"{_EAGER}=True") for file, call in calls]


def called_itself(source: Source, file: str, line: int) -> list[Edit]:
    """`model.predict(x)` as `model(x, training=False).numpy()`, which makes no pipeline; nothing where it is told how
    to go through the data."""
    calls = [
        node
        for node in nodes_on(source, line)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _PREDICTING
    ]
    edits = []
    for call in calls:
        words = {word.arg for word in call.keywords} - {"verbose", "x"}
        given = call.args[0] if call.args else next((word.value for word in call.keywords if word.arg == "x"), None)
        if len(call.args) > 1 or words or given is None or not isinstance(call.func, ast.Attribute):
            return []
        model = written_in(source, call.func.value)
        edits.append(over(source, file, call, f"{model}({written_in(source, given)}, training=False).numpy()"))
    return edits
