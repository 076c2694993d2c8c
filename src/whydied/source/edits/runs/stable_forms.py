"""Expressions that overflow or lose all digits although what they compute does not, and the function that computes the
same without: `log(1 + exp(x))` is `softplus(x)`, `1 / (1 + exp(-x))` is `sigmoid(x)`. Pure.

Only what is the same function for every number is rewritten, and only where the whole of it stands in one expression:
names are followed to their only assignment in the function.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.source.calls import callee
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.import_edits import name_of
from whydied.source.text import Source
from whydied.source.trees import function_at, last_name, nodes_on, walk

_PLACES = {"softplus": "math.", "log_sigmoid": "math.", "log_softmax": "nn.", "softmax": "nn."}
"""Where TensorFlow has them."""
_DEPTH = 3


class StableForm(NamedTuple):
    """The function in its place, as the program writes it (`tf.math.softplus`), and the edit."""

    function: str
    edits: list[Edit]


def stable_form(source: Source, file: str, line: int) -> StableForm | None:
    """The outermost expressions of the statement at a line that have a stable form, each with it; else those of the
    only statement of its function that uses the name which the statement assigns."""
    found = _stable(source, file, line)
    made = [node for node in nodes_on(source, line) if isinstance(node, ast.Assign)]
    function = function_at(source.tree, line)
    if found is not None or function is None or len(made) != 1 or not isinstance(made[0].targets[0], ast.Name):
        return found
    name = made[0].targets[0].id
    uses = {one.lineno for one in walk(function, ast.Name) if one.id == name and isinstance(one.ctx, ast.Load)}
    lines = {source.span(one)[0] for one in uses}
    return _stable(source, file, lines.pop()) if len(lines) == 1 else None


def _stable(source: Source, file: str, line: int) -> StableForm | None:
    nodes = [node for node in nodes_on(source, line) if isinstance(node, ast.expr)]
    found = [(node, form) for node in nodes if (form := _form(source, node)) is not None]
    inner = {id(part) for node, _ in found for part in walk(node, ast.expr) if part is not node}
    outer = [(node, form) for node, form in found if id(node) not in inner]
    edits = [over(source, file, node, f"{function}({arguments})") for node, (function, arguments) in outer]
    return StableForm(outer[0][1][0], edits) if outer else None


def _form(source: Source, node: ast.expr) -> tuple[str, str] | None:
    """The function and its arguments."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and _is_one(node.left):
        grown = _one_plus_exp(source, node.right)
        negated = _negated(grown.args[0]) if grown is not None else None
        return _named(source, grown, "sigmoid", written_in(source, negated)) if grown is not None and negated else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return _softmax(source, node)
    if not isinstance(node, ast.Call) or callee(node) != "log" or len(node.args) != 1:
        return None
    argument = _behind(source, node.args[0])
    grown = _one_plus_exp(source, argument)
    if grown is not None:
        return _named(source, grown, "softplus", written_in(source, grown.args[0]))
    if isinstance(argument, ast.BinOp) and isinstance(argument.op, ast.Sub) and _is_one(argument.left):
        other = _behind(source, argument.right)
        if not isinstance(other, ast.Call) or callee(other) != "sigmoid" or len(other.args) != 1:
            return None
        return _named(source, node, "log_sigmoid", f"-({written_in(source, other.args[0])})")
    if not isinstance(argument, ast.Call) or not argument.args:
        return None
    return _of_call(source, node, argument)


def _softmax(source: Source, node: ast.BinOp) -> tuple[str, str] | None:
    """`exp(x) / reduce_sum(exp(x), axis=-1, keepdims=True)`."""
    above, below = _behind(source, node.left), _behind(source, node.right)
    if not isinstance(above, ast.Call) or not isinstance(below, ast.Call) or callee(below) not in ("reduce_sum", "sum"):
        return None
    summed = _behind(source, below.args[0]) if below.args else None
    words = {word.arg: word.value for word in below.keywords}
    axis = words.get("axis") or (below.args[1] if len(below.args) > 1 else None)
    if callee(above) != "exp" or len(above.args) != 1 or axis is None or not words.keys() <= {"axis", "keepdims"}:
        return None
    if summed is None or ast.dump(summed) != ast.dump(above):
        return None
    return _named(source, above, "softmax", f"{written_in(source, above.args[0])}, axis={written_in(source, axis)}")


def _of_call(source: Source, node: ast.Call, argument: ast.Call) -> tuple[str, str] | None:
    """Of the logarithm of a call."""
    given = written_in(source, argument.args[0])
    rest = "".join(f", {word.arg}={written_in(source, word.value)}" for word in argument.keywords if word.arg)
    if callee(argument) == "sigmoid" and len(argument.args) == 1:
        return _named(source, node, "log_sigmoid", given)
    if callee(argument) == "softmax" and len(argument.args) == 1 and _keywords(argument) <= {"axis"}:
        return _named(source, node, "log_softmax", given + rest)
    summed = _behind(source, argument.args[0])
    if callee(argument) in ("reduce_sum", "sum") and isinstance(summed, ast.Call) and callee(summed) == "exp":
        rest = "".join(f", {written_in(source, one)}" for one in argument.args[1:]) + rest
        return _named(source, node, "reduce_logsumexp", written_in(source, summed.args[0]) + rest)
    return None


def _named(source: Source, like: ast.Call, function: str, arguments: str) -> tuple[str, str] | None:
    """The function of the library that the program uses there."""
    of = like.func.value if isinstance(like.func, ast.Attribute) else None
    if of is not None and last_name(of) == "ops":
        return f"{written_in(source, of)}.{function.removeprefix('reduce_')}", arguments
    tensorflow = name_of(source, "tensorflow")
    return (f"{tensorflow}.{_PLACES.get(function, '')}{function}", arguments) if tensorflow else None


def _one_plus_exp(source: Source, node: ast.expr) -> ast.Call | None:
    """`exp(x)` of `1 + exp(x)`."""
    node = _behind(source, node)
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
        return None
    sides = (node.left, node.right)
    calls = [side for one in sides if isinstance(side := _behind(source, one), ast.Call) and callee(side) == "exp"]
    ones = [side for side in sides if _is_one(side)]
    return calls[0] if len(calls) == 1 and len(ones) == 1 and len(calls[0].args) == 1 else None


def _negated(node: ast.expr) -> ast.expr | None:
    return node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else None


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not isinstance(node.value, bool) and node.value == 1


def _keywords(call: ast.Call) -> set[str]:
    return {word.arg or "**" for word in call.keywords}


def _behind(source: Source, node: ast.expr, depth: int = _DEPTH) -> ast.expr:
    """What a name of a function stands for, where it is assigned once there, from names that keep their values."""
    function = function_at(source.tree, node.lineno)
    if not isinstance(node, ast.Name) or function is None or not depth:
        return node
    stored = [one for one in walk(function, ast.Name) if one.id == node.id and isinstance(one.ctx, ast.Store)]
    assigned = [
        one.value
        for one in walk(function, ast.Assign)
        if len(one.targets) == 1 and isinstance(one.targets[0], ast.Name) and one.targets[0].id == node.id
    ]
    if len(stored) != 1 or len(assigned) != 1:
        return node
    rebound = [
        one
        for one in walk(function, ast.Name)
        if isinstance(one.ctx, ast.Store) and one.lineno > assigned[0].lineno
        if one.id in {used.id for used in walk(assigned[0], ast.Name)}
    ]
    return node if rebound else _behind(source, assigned[0], depth - 1)
