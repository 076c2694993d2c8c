"""The graph grows in every round of a loop that runs it.

## What it detects
In a program for TensorFlow 1: a call that adds ops or variables to the graph (`tf.constant`, `tf.assign`, `x + y` of
tensors, `minimize`, `tf.train.Saver`, `tf.global_variables_initializer`) inside a loop that also runs a session.

## Why it matters
Each round adds nodes that never go away: memory grows, each run is slower than the one before, and variables made
there are new ones that nobody initialised.

## When it stays silent
The loop makes a graph of its own (`with tf.Graph().as_default()`) or resets the default one; the loop only builds and
does not run; at most ten rounds; the code is not for graphs; a condition lets it happen in one round only (`if i ==
0:`, or `if not ready:` where that is set there).

## Fix
Build what is run once, above the loop, with a `tf.placeholder` for what changes, and only run it in the loop.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whydied import words
from whydied.lint.kinds import kinds_of
from whydied.lint.library_kinds import OPTIMIZER, SESSION, TENSOR, is_op
from whydied.lint.repetition import calls_in, rounds
from whydied.lint.scopes import Loop
from whydied.lint.static_rule import Hit
from whydied.lint.unit import Unit
from whydied.source.calls import callee

SAME_FAULT = ("graph-growth", "variables-in-loop", "steps-slowed-by-graph")
FEWEST_ROUNDS = 10
_ADDING = frozenset(
    {
        *("tf.global_variables_initializer", "tf.local_variables_initializer", "tf.initialize_all_variables"),
        *("tf.train.Saver", "tf.placeholder", "tf.get_variable", "tf.Variable", "tf.gradients", "tf.layers.dense"),
        *("tf.layers.conv2d", "tf.group", "tf.split", "tf.unstack", "tf.summary.merge_all", "tf.summary.merge"),
    }
)
_ASSIGNING = frozenset({"assign", "assign_add", "assign_sub"})
_NOT_ADDING = frozenset({"tf.get_default_session", "tf.as_default", "tf.trainable_variables", "tf.make_tensor_proto"})
_FRESH = frozenset({"tf.Graph", "tf.reset_default_graph"})


def check(unit: Unit) -> Iterator[Hit]:
    if not unit.is_graph:
        return
    told: set[ast.stmt] = set()
    for loop in unit.scopes.loops:
        number = rounds(unit, loop)
        if (number is not None and number <= FEWEST_ROUNDS) or not _runs(unit, loop) or _is_fresh(unit, loop):
            continue
        # One loop has one fault, however many ops it adds.
        found = {unit.scopes.statement(node): node for node in reversed(list(_made_in(unit, loop.body, 2)))}
        new = [node for statement, node in reversed(found.items()) if statement not in told]
        told |= set(found)
        if new:
            first, line = new[0], unit.place(loop.lineno)[1]
            what = unit.written(first.func) if isinstance(first, ast.Call) else unit.written(first)
            more = f" (and in {words.count(len(new) - 1, 'more statement')})" if len(new) > 1 else ""
            yield Hit(
                first,
                f"`{what}` adds to the graph in every round of the loop in line {line}{more}",
                "Build it once above the loop, with a placeholder for what changes, and only run it here.",
            )


def _runs(unit: Unit, loop: Loop) -> bool:
    kinds = kinds_of(unit)
    for where, call in calls_in(unit, loop.body):
        if isinstance(call.func, ast.Attribute) and call.func.attr == "run":
            owner = call.func.value
            if (kinds if where is unit else kinds_of(where)).of(owner) == SESSION or "sess" in where.written(
                owner
            ).lower():
                return True
    return False


def _is_fresh(unit: Unit, loop: Loop) -> bool:
    return any(where.called(call) in _FRESH for where, call in calls_in(unit, loop.body))


def _made_in(unit: Unit, body: list[ast.stmt], depth: int) -> Iterator[ast.expr]:
    """What adds to the graph in some statements and in the functions of this file that they call, outermost first,
    without functions that are only defined there."""
    kinds = kinds_of(unit)
    waiting: list[ast.AST] = list(reversed(body))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            continue
        if isinstance(node, ast.If) and _is_once(node):
            waiting += reversed(node.orelse)
            continue
        if isinstance(node, ast.Call) and _adds(unit, node):
            yield node
            continue
        if isinstance(node, ast.BinOp) and kinds.of(node) == TENSOR:
            yield node
            continue
        own = unit.function(node) if isinstance(node, ast.Call) and depth else None
        if own is not None and own[0] is unit:
            yield from _made_in(unit, own[1].body, depth - 1)
        waiting += reversed(list(ast.iter_child_nodes(node)))


def _is_once(node: ast.If) -> bool:
    """Whether the condition is about one round, or is made untrue by what it lets happen."""
    test = node.test
    if isinstance(test, ast.Compare):
        return isinstance(test.ops[0], ast.Eq) and isinstance(test.comparators[0], ast.Constant)
    if not isinstance(test, ast.UnaryOp) or not isinstance(test.op, ast.Not):
        return False
    stored = {
        ast.unparse(one)
        for part in node.body
        for one in ast.walk(part)
        if isinstance(one, ast.Name | ast.Attribute) and isinstance(one.ctx, ast.Store)
    }
    return ast.unparse(test.operand) in stored


def _adds(unit: Unit, call: ast.Call) -> bool:
    name = unit.called(call)
    if name in _NOT_ADDING:
        return False
    if name in _ADDING or (name and is_op(name)):
        return True
    if isinstance(call.func, ast.Attribute) and callee(call) in _ASSIGNING:
        return kinds_of(unit).of(call.func.value) == TENSOR
    return (
        isinstance(call.func, ast.Attribute)
        and callee(call) in ("minimize", "apply_gradients", "compute_gradients")
        and kinds_of(unit).of(call.func.value) == OPTIMIZER
    )
