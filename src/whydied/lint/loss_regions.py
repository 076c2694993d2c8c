"""Where a loss is computed, and which values in it can be zero or negative. Pure.

A loss is computed by a function that is given to `compile`, by the `call` of a subclass of Keras' Loss, by a function
whose name says so, and by a statement that assigns to such a name.
"""

from __future__ import annotations

import ast
import re

from whydied.lint.architecture import output_of
from whydied.lint.kinds import kinds_of
from whydied.lint.library_kinds import LOSS, MODEL, TAPE, TENSOR
from whydied.lint.repetition import calls_to
from whydied.lint.unit import Unit
from whydied.source.calls import callee, parameters, passed_argument
from whydied.source.trees import Function

_NAMED = re.compile(r"(?:^|_)(?:loss|losses|cost|cross_?entropy|crossentropy|nll)(?:_|$|\d)", re.IGNORECASE)
_SAME_VALUE = frozenset(
    {"cast", "reshape", "squeeze", "expand_dims", "flatten", "convert_to_tensor", "identity", "transpose"}
)
_SQUASHING = frozenset({"softmax", "sigmoid"})
_DEEPEST = 8


def loss_functions(unit: Unit) -> list[Function]:
    found = unit.memory.get("loss functions")
    if isinstance(found, list):
        return found
    given = {
        argument.id
        for call in unit.calls
        if callee(call) == "compile"
        for argument in [passed_argument(call, "loss") or passed_argument(call, "1")]
        if isinstance(argument, ast.Name)
    }
    losses: list[Function] = []
    for function in unit.scopes.functions:
        owner = unit.scopes.parent(function)
        is_call = (
            isinstance(owner, ast.ClassDef) and function.name == "call" and kinds_of(unit).class_kind(owner) == LOSS
        )
        if is_call or function.name in given or (_NAMED.search(function.name) and len(parameters(function)) >= 2):
            losses.append(function)
    unit.memory["loss functions"] = losses
    return losses


def region(unit: Unit, node: ast.AST) -> ast.AST | None:
    """The loss that an expression is part of: a function, or a statement that assigns to a name of one."""
    for above in unit.scopes.ancestors(node):
        if isinstance(above, Function):
            return above if above in loss_functions(unit) else None
        if isinstance(above, ast.Assign) and any(
            isinstance(name, ast.Name) and _NAMED.search(name.id) for name in above.targets
        ):
            return above
    return None


def is_differentiated(unit: Unit, node: ast.AST) -> bool:
    """Whether an expression is part of what is differentiated: of a loss, of what a tape records, of a function that
    one of these calls, or of a value that a loss is computed from."""
    if region(unit, node) is not None or _is_taped(unit, node):
        return True
    function = unit.scopes.function(node)
    if function is not None:
        return any(region(unit, call) is not None or _is_taped(unit, call) for call in calls_to(unit, function))
    statement = unit.scopes.statement(node)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    return isinstance(target, ast.Name) and any(
        one.id == target.id and isinstance(one.ctx, ast.Load) and region(unit, one) is not None
        for one in unit.scopes.every(ast.Name)
    )


def _is_taped(unit: Unit, node: ast.AST) -> bool:
    kinds = kinds_of(unit)
    for above in unit.scopes.ancestors(node):
        if isinstance(above, ast.With) and any(kinds.of(item.context_expr) == TAPE for item in above.items):
            return True
        if isinstance(above, Function):
            break
    return False


def is_prediction(unit: Unit, node: ast.AST, depth: int = _DEEPEST) -> bool:
    """Whether a value is what softmax, sigmoid or a model gave, or an argument of a loss of Keras, as it came: nothing
    keeps it away from 0. Also `1 - p` of such."""
    if not depth:
        return False
    if isinstance(node, ast.Name):
        bound = unit.scopes.reaching(node)
        if not bound:
            return False
        if all(one.kind == "parameter" for one in bound):
            return _is_of_keras_loss(unit, bound[0].node, node.id)
        return all(
            one.kind == "assign"
            and not one.place
            and one.value is not None
            and is_prediction(unit, one.value, depth - 1)
            for one in bound
        )
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and kinds_of(unit).of(node.right) == TENSOR:
        # A bias: what comes of a product of matrices has either sign.
        return isinstance(node.left, ast.Call) and unit.called(node.left) in ("tf.matmul", "tf.linalg.matmul")
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
        return unit.number(node.left) == 1 and is_prediction(unit, node.right, depth - 1)
    if not isinstance(node, ast.Call):
        return False
    name, last = unit.called(node), callee(node)
    if name.startswith(("tf.", "keras.")):
        if last in _SQUASHING:
            return True
        return last in _SAME_VALUE and bool(node.args) and is_prediction(unit, node.args[0], depth - 1)
    if kinds_of(unit).of(node.func) == MODEL:
        end = output_of(unit, node.func)
        return end is not None and end.activation in _SQUASHING
    return False


def _is_of_keras_loss(unit: Unit, function: ast.AST, name: str) -> bool:
    """`y_true` and `y_pred` of a function that Keras calls."""
    if not isinstance(function, Function) or function not in loss_functions(unit):
        return False
    owner = unit.scopes.parent(function)
    names = parameters(function)
    if len(names) != 2 or name not in names:
        return False
    is_method = isinstance(owner, ast.ClassDef) and kinds_of(unit).class_kind(owner) in (LOSS, MODEL)
    compiled = any(
        isinstance(argument, ast.Name) and argument.id == function.name
        for call in unit.calls
        if callee(call) == "compile"
        for argument in [passed_argument(call, "loss") or passed_argument(call, "1")]
    )
    return compiled or is_method or names == ["y_true", "y_pred"]
