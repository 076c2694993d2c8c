"""Variables were created outside of the scope of the distribution strategy that uses them.

## What it detects
A model, optimizer or variable that was made outside of `with strategy.scope():` and is used by a step that the strategy
runs.

## Why it happens
A strategy keeps a copy of each variable per device. It can do so only for those that are created inside of its scope:
the optimizer then refuses to create its own variables beside a model's that has no copies.

## Evidence
The variable that the exception names, the line that made its layer, the `with` blocks of the program.

## How it is proved
TensorFlow states the reason; the line is certain where the recorder saw the layer being made.

## Fix
Create model and optimizer inside of `with strategy.scope():`.

## Known problems
Where the scope is entered by a caller of the line that makes the model, the line is not found.

## References
https://www.tensorflow.org/guide/distributed_training
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.usage import place_of, root_link, said, text_of
from whydied.diagnose.finding import Culprit, Finding
from whydied.records import ErrorFacts, Frame, OptimizerSeen
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, Edit
from whydied.source.edits.statement_edits import around_statements, statement_at
from whydied.source.text import Source
from whydied.source.trees import across, around, function_at, nodes_at, walk, written
from whydied.texts import graph_messages
from whydied.texts.entry import any_of

ROLE = "explanation"
_OUTSIDE = any_of(graph_messages.OUTSIDE_SCOPE, graph_messages.SLOT_OUTSIDE_SCOPE)


def check(case: Case) -> Finding | None:
    link = root_link(case)
    told = _OUTSIDE.search(text_of(link)) if link is not None else None
    if link is None or told is None:
        return None
    variable = told[told.lastindex] if told.lastindex else ""
    failing = place_of(case)
    frames = [frame for frame in _made(case, variable) if not _in_scope(case.project, frame)]
    place = case.locate(frames[0]) if frames else failing
    what = "a variable" if not variable else f"`{variable}`"
    at = f", which {line_words(failing)} needs" if failing is not None and place != failing else ""
    edits = _edits(case.project, frames[0]) if frames else []
    return Finding(
        message=f"{prefix(place)}{what} is created outside of the strategy's scope, so it has no copy on each "
        f"device{at}",
        certainty="certain" if frames else "likely",
        location=place,
        culprit=Culprit(kind="variable", name=variable or None),
        evidence=[said(link)],
        advice=["Create the model and the optimizer inside of `with strategy.scope():`."]
        if not edits
        else [f"Put line {edits[0].start[0]} into the scope: `{edits[0].text.splitlines()[0].strip()}` around it."],
        changes=[Change(title="Create it inside of the strategy's scope", kind="statement", edits=edits)]
        if edits
        else [],
    )


def _made(case: Case, variable: str) -> list[Frame]:
    """The lines that made what the variable belongs to, seen from outside of the program's own functions."""
    records = case.records
    layers = [layer for facts in records.all(ErrorFacts) for layer in (*facts.layers, facts.layer) if layer is not None]
    parts = variable.split(":")[0].split("/")
    made = [layer.made for layer in layers if layer.made is not None and layer.name in parts]
    made += [] if made else _assigned(case)
    made += [one.made for one in records.all(OptimizerSeen) if one.made is not None]
    return [_caller(case.project, frame) for frame in made]


def _assigned(case: Case) -> list[Frame]:
    """The lines that assign what the failing statement reads variables of: `self.model` of
    `self.model.trainable_variables`."""
    place = place_of(case)
    nodes = nodes_at(case.sources, place) if place is not None else []
    owners = {
        written(node.value)
        for node in nodes
        if isinstance(node, ast.Attribute) and node.attr in ("trainable_variables", "trainable_weights", "variables")
    }
    return [
        Frame(file=file, line=node.lineno, function="", user=True)
        for file, node in across(case.project, ast.Assign)
        if any(written(target) in owners for target in node.targets)
    ]


def _caller(project: dict[str, Source], frame: Frame) -> Frame:
    """The only call of the function that a line is in: a function that builds is called where the scope has to be."""
    source = project.get(frame.file)
    function = function_at(source.tree, frame.line) if source is not None else None
    if function is None or function.name == "__init__":
        return frame
    calls = [(file, call) for file, call in across(project, ast.Call) if callee(call) == function.name]
    if len(calls) != 1:
        return frame
    file, call = calls[0]
    return _caller(project, Frame(file=file, line=call.lineno, function="", user=True)) if file else frame


def _in_scope(project: dict[str, Source], frame: Frame) -> bool:
    source = project.get(frame.file)
    return source is not None and any(_scope(block) is not None for block in around(source.tree, frame.line, ast.With))


def _scope(block: ast.With) -> ast.expr | None:
    return next((item.context_expr for item in block.items if written(item.context_expr).endswith(".scope()")), None)


def _edits(project: dict[str, Source], frame: Frame) -> list[Edit]:
    """The statement inside of a block with the scope that another block of its function has."""
    source = project.get(frame.file)
    statement = statement_at(source, frame.line) if source is not None else None
    if source is None or not isinstance(statement, ast.Assign | ast.Expr):
        return []
    home = function_at(source.tree, frame.line) or source.tree
    scopes = {written(found) for block in walk(home, ast.With) if (found := _scope(block)) is not None}
    if len(scopes) != 1:
        return []
    return around_statements(source, frame.file, statement, statement, f"with {scopes.pop()}:")
