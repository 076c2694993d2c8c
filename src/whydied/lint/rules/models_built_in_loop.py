"""A model is built and trained in every round of a loop, and none is let go.

## What it detects
A loop of at least ten rounds, or of unknown length, that makes a Keras model (itself or by a function of the
project), fits it, and calls `clear_session` nowhere.

## Why it matters
Keras keeps global state for every model that is made in a process; with each round more of it stays, and a search
over many settings runs out of memory long after it began.

## When it stays silent
`clear_session()` in the loop or in what it calls; a process for each model; models that are kept on purpose
(`models.append(model)`) or are views of one; fewer than ten rounds, such as five folds.

## Fix
`keras.backend.clear_session()` at the beginning of each round. Not all of the memory comes back: a process for each
model is the sure way.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whydied.lint.kinds import kinds_of
from whydied.lint.library_kinds import MODEL
from whydied.lint.repetition import calls_in, rounds
from whydied.lint.scopes import Loop
from whydied.lint.static_rule import Hit
from whydied.lint.unit import Unit
from whydied.source.calls import callee

SAME_FAULT = ("models-kept",)
FEWEST_ROUNDS = 10
_RELEASING = frozenset(
    {"clear_session", "reset_default_graph", "Process", "Pool", "ProcessPoolExecutor", "Graph", "reset_uids"}
)


def check(unit: Unit) -> Iterator[Hit]:
    kinds = kinds_of(unit)
    for loop in unit.scopes.loops:
        number = rounds(unit, loop)
        if (number is not None and number < FEWEST_ROUNDS) or isinstance(loop, ast.While):
            continue
        if not _is_counted(unit, loop):
            continue
        built = [call for call in _own_calls(unit, loop) if kinds.of(call) == MODEL and _is_built(unit, call)]
        if not built:
            continue
        called = [callee(call) for _, call in calls_in(unit, loop.body)]
        if "fit" not in called or _RELEASING & set(called):
            continue
        yield Hit(
            built[0],
            f"a model is built and trained in every round of the loop in line {unit.place(loop.lineno)[1]}, and Keras "
            "keeps state for each",
            "Call `keras.backend.clear_session()` at the beginning of each round, or train each model in a process.",
        )


def _is_counted(unit: Unit, loop: Loop) -> bool:
    """A loop over trials, settings or folds, not one over a handful of named models."""
    if isinstance(loop, ast.While):
        return False
    return rounds(unit, loop) is not None or not isinstance(loop.iter, ast.Name | ast.Attribute)


def _own_calls(unit: Unit, loop: Loop) -> list[ast.Call]:
    return [
        node
        for statement in loop.body
        for node in ast.walk(statement)
        if isinstance(node, ast.Call) and unit.scopes.loops_around(node)[:1] == [loop]
    ]


def _is_built(unit: Unit, call: ast.Call) -> bool:
    """Made anew: not loaded, not one part of another."""
    name = unit.called(call)
    statement = unit.scopes.parent(call)
    parts = [one for argument in [*call.args, *call.keywords] for one in ast.walk(argument)]
    if any(isinstance(one, ast.Attribute) and one.attr in ("input", "inputs", "output", "outputs") for one in parts):
        return False
    if name.endswith(("load_model", "clone_model")) or not isinstance(statement, ast.Assign):
        return False
    target = statement.targets[0]
    return isinstance(target, ast.Name) and not _is_kept(unit, target.id, statement)


def _is_kept(unit: Unit, name: str, made: ast.AST) -> bool:
    """Whether the program keeps the models on purpose, as an ensemble does."""
    for one in unit.scopes.every(ast.Name):
        if (
            one.id != name
            or not isinstance(one.ctx, ast.Load)
            or not unit.scopes.within(one, unit.scopes.loops_around(made)[0])
        ):
            continue
        parent = unit.scopes.parent(one)
        if isinstance(parent, ast.Call) and callee(parent) in ("append", "add") and one in parent.args:
            return True
        if isinstance(parent, ast.Yield | ast.Tuple | ast.List) or (
            isinstance(parent, ast.Assign) and parent.value is one
        ):
            return True
    return False
