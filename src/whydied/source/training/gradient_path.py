"""Why a loss has no gradient, by the source: computed outside of the tape, or through something that has none. Pure.

Names are followed backwards through the assignments of one function, into a function of the program's own that is
called or given as a loss, and out to the call that passed the tape and the loss in. What cannot be followed is not
guessed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from whydied.source.assignments import assigned, reads
from whydied.source.calls import bound_arguments, callee, method_calls, own_names, passed_argument
from whydied.source.location import Location
from whydied.source.text import Source
from whydied.source.trees import (
    around,
    enclosing,
    function_at,
    nodes_at,
    scope_at,
    tree_of,
    walk,
    within,
    written,
)

_ROUNDS = 6
_WITHOUT = {"argmax", "argmin", "round", "floor", "ceil", "sign", "rint", "equal", "not_equal", "greater"}
_WITHOUT |= {"greater_equal", "less", "less_equal", "stop_gradient", "one_hot", "argsort", "searchsorted", "bucketize"}
_WITHOUT |= {"histogram_fixed_width", "logical_and", "logical_or", "numpy_function", "shape", "size", "rank"}
_ROOTS = frozenset({"tf", "tensorflow", "ops", "keras", "K", "backend"})
_NUMPY = frozenset({"np", "numpy"})
_FIT = ("fit", "train_on_batch")


class NoGradient(NamedTuple):
    """Why there is no gradient: `words` say what the line does, `expected` what it should."""

    place: Location
    name: str | None
    words: str
    expected: str
    advice: str
    kind: str = ""
    tape: str = ""


class _Gradient(NamedTuple):
    """A call of `tape.gradient`: what of, with respect to what."""

    tape: str
    target: ast.expr
    sources: ast.expr | None
    call: ast.Call


def gradient_on(sources: Mapping[str, Source], place: Location, names: list[str]) -> str | None:
    """The name on a line that holds what `tape.gradient` gave, of those that are None where that is known."""
    scope = scope_at(tree_of(sources, place.file), place.line)
    seen = names or [written(node) for node in reads(nodes_at(sources, place))]
    return next((name for name in seen if _comes_from_gradient(name, scope)), None)


def _comes_from_gradient(name: str, scope: ast.AST, rounds: int = _ROUNDS) -> bool:
    for one in assigned(name, scope):
        if any(method_calls(ast.walk(one.value), ("gradient",))):
            return True
        names = [node.id for node in walk(one.value, ast.Name) if rounds > 0 and node.id != name]
        if any(_comes_from_gradient(further, scope, rounds - 1) for further in names):
            return True
    return False


def no_gradient(sources: Mapping[str, Source], place: Location, callers: Sequence[Location] = ()) -> NoGradient | None:
    """What the source shows, for the exception of a line; `callers` are the lines that led there, the nearest first."""
    tree = tree_of(sources, place.file)
    found = _gradient_for(tree, place)
    for caller in callers:
        outer = _passed_in(sources, tree, found, caller) if found is not None else None
        if outer is None:
            break
        tree, found, place = tree_of(sources, caller.file), outer, caller
    if found is not None:
        scope = scope_at(tree, found.call.lineno)
        return (
            _outside(tree, scope, found, place)
            or _cut(tree, scope, found.target, place)
            or _unwatched(scope, found, place, tree)
        )
    for target in _minimised(sources, place):
        if (cut := _cut(tree, scope_at(tree, place.line), target, place)) is not None:
            return cut
    return None


def _gradient_for(tree: ast.Module, place: Location) -> _Gradient | None:
    """The `gradient` call of the same function nearest above the line, else the only one of the file."""
    every = list(_gradients(tree))
    scope = scope_at(tree, place.line)
    own = [
        one
        for one in every
        if scope_at(tree, one.call.lineno) is scope and one.call.lineno <= (place.end_line or place.line)
    ]
    if own:
        return max(own, key=lambda one: one.call.lineno)
    return every[0] if len(every) == 1 else None


def _passed_in(sources: Mapping[str, Source], tree: ast.Module, found: _Gradient, caller: Location) -> _Gradient | None:
    """The gradient as the caller sees it, where its target is a parameter that the function leaves as it is."""
    function = function_at(tree, found.call.lineno)
    target = found.target
    if function is None or not isinstance(target, ast.Name) or target.id not in own_names(function):
        return None
    calls = [node for node in nodes_at(sources, caller) if isinstance(node, ast.Call) and callee(node) == function.name]
    if len(calls) != 1 or assigned(target.id, function):
        return None
    given = bound_arguments(calls[0], function)
    tape = given.get(found.tape)
    outer = given.get(target.id)
    return _Gradient(written(tape) if tape is not None else found.tape, outer, None, calls[0]) if outer else None


def _gradients(tree: ast.Module) -> Iterator[_Gradient]:
    for tape, call in method_calls(ast.walk(tree), ("gradient", "jacobian")):
        if call.args:
            by = passed_argument(call, "1") or passed_argument(call, "sources")
            yield _Gradient(written(tape), call.args[0], by, call)


def _outside(tree: ast.Module, scope: ast.AST, found: _Gradient, place: Location) -> NoGradient | None:
    """The loss is assigned, and in no place within the block of the tape."""
    blocks = [node for node in within(scope) if isinstance(node, ast.With) and _opens(node, found.tape)]
    if blocks and isinstance(found.target, ast.UnaryOp | ast.BinOp | ast.Call):
        return _in_call(tree, found, place, blocks)
    if not blocks or not isinstance(found.target, ast.Name | ast.Attribute):
        return None
    name = written(found.target)
    made = [one for one in assigned(name, scope) if one.line <= found.call.lineno]
    if not made or any(block in around(tree, one.line, ast.With) for block in blocks for one in made):
        return None
    block = max(blocks, key=lambda node: node.lineno)
    return NoGradient(
        _location(tree, place.file, made[-1].line),
        name,
        f"`{name}` is computed on line {made[-1].line}, outside the tape of line {block.lineno}",
        f"it inside the `with` block (lines {block.lineno} to {block.end_lineno})",
        f"Move this line into the `with … as {found.tape}:` block.",
        "outside",
        found.tape,
    )


def _in_call(tree: ast.Module, found: _Gradient, place: Location, blocks: list[ast.With]) -> NoGradient | None:
    """The loss is computed in the very call that asks for its gradient, after the block of the tape."""
    if any(block in around(tree, found.call.lineno, ast.With) for block in blocks):
        return None
    block, text = max(blocks, key=lambda node: node.lineno), written(found.target)
    return NoGradient(
        _location(tree, place.file, found.call.lineno),
        text,
        f"`{text}` is computed in the call of `{found.tape}.gradient`, outside the tape of line {block.lineno}",
        f"it inside the `with` block (lines {block.lineno} to {block.end_lineno})",
        f"Compute it as the last line of the `with … as {found.tape}:` block, `loss = {text}`, and pass `loss`.",
        "in call",
        found.tape,
    )


def _opens(node: ast.With, tape: str) -> bool:
    return any(item.optional_vars is not None and written(item.optional_vars) == tape for item in node.items)


def _cut(tree: ast.Module, scope: ast.AST, target: ast.AST, place: Location) -> NoGradient | None:
    """A call without a gradient that the loss goes through."""
    pending: list[tuple[ast.AST, ast.AST]] = [(target, scope)]
    known: set[tuple[int, str]] = set()
    for _ in range(_ROUNDS):
        following: list[tuple[ast.AST, ast.AST]] = []
        for node, inner in pending:
            call = _without_gradient(node)
            if call is not None:
                what, cut = call
                return left_tensorflow(_location(tree, place.file, cut.lineno), what)
            for read in reads(ast.walk(node)):
                name = written(read)
                if (id(inner), name) in known:
                    continue
                known.add((id(inner), name))
                following += [(one.value, inner) for one in assigned(name, inner)]
                following += [(value, function) for function in _functions(tree, name) for value in _returned(function)]
        pending = following
    return None


def left_tensorflow(place: Location, what: str) -> NoGradient:
    return NoGradient(
        place,
        what,
        f"the loss goes through `{what}`, which has no gradient",
        "operations that have a gradient between the variables and the loss",
        _replacement(what),
    )


def _without_gradient(expression: ast.AST) -> tuple[str, ast.Call] | None:
    """The outermost call in an expression whose result has no gradient. What is only an argument of a call that takes
    no gradient from it (the labels of a loss) is looked at as well where it is the only argument."""
    pending = [expression]
    while pending:
        node = pending.pop(0)
        if isinstance(node, ast.Call):
            text = written(node.func)
            root, _, last = text.rpartition(".")
            if last == "numpy" and not node.args and root:
                return f"{root}.numpy()", node
            if text.partition(".")[0] in _NUMPY and not _is_constant(node):
                return text, node
            if text.partition(".")[0] in _ROOTS and last in _WITHOUT:
                return text, node
            if last == "cast" and _is_whole(node):
                return written(node), node
            if text in ("float", "int", "round", "bool"):
                return text, node
            # The true values of a loss need no gradient; the last argument is the prediction.
            pending += node.args[-1:] if last.startswith(("mean_", "sparse_", "categorical", "binary")) else node.args
            if isinstance(node.func, ast.Attribute):
                pending.append(node.func.value)
        elif isinstance(node, ast.BinOp):
            sides = [_without_gradient(node.left), _without_gradient(node.right)]
            if all(sides):
                return sides[0]
            if any(sides) and any(isinstance(side, ast.Constant) for side in (node.left, node.right)):
                return sides[0] or sides[1]
        elif isinstance(node, ast.UnaryOp):
            pending.append(node.operand)
        elif isinstance(node, ast.Subscript):
            pending.append(node.value)
    return None


def _is_constant(call: ast.Call) -> bool:
    """Whether an array is made of what is written out there: labels, and nothing that was computed."""
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return not any(name.id not in _NUMPY for one in given for name in walk(one, ast.Name))


def _is_whole(call: ast.Call) -> bool:
    given = [*call.args[1:], passed_argument(call, "dtype")]
    return any("int" in written(one) or "bool" in written(one) for one in given if one is not None)


def _replacement(what: str) -> str:
    last = what.partition("(")[0].rpartition(".")[2]
    if last in ("argmax", "argmin"):
        return "Pass the scores themselves (`softmax`, logits) to the loss, not the class that `argmax` picks."
    if "numpy" in last or what.partition(".")[0] in _NUMPY:
        return (
            "Use the TensorFlow operation instead: a value that left TensorFlow has no gradient back to the variables."
        )
    return f"Keep `{last}` out of the path to the loss, or use something differentiable instead."


def _unwatched(scope: ast.AST, found: _Gradient, place: Location, tree: ast.Module) -> NoGradient | None:
    """The gradient is taken by a constant that the tape was not told to watch."""
    if not isinstance(found.sources, ast.Name):
        return None
    name = found.sources.id
    made = assigned(name, scope) or assigned(name, tree)
    constant = [
        one
        for one in made
        if isinstance(one.value, ast.Call)
        and callee(one.value) in ("constant", "convert_to_tensor", "zeros", "ones", "random")
    ]
    watched = any(
        name in {written(part) for one in call.args for part in walk(one, ast.expr)}
        for _, call in method_calls(ast.walk(scope), ("watch",))
    )
    if not constant or len(constant) != len(made) or watched:
        return None
    return NoGradient(
        _location(tree, place.file, found.call.lineno),
        name,
        f"`{name}` (line {constant[-1].line}) is a constant, which the tape does not watch",
        f"a variable, or `{found.tape}.watch({name})` before it is used",
        f"Call `{found.tape}.watch({name})` at the start of the `with` block, or make `{name}` a tf.Variable.",
        "unwatched",
        found.tape,
    )


def _minimised(sources: Mapping[str, Source], place: Location) -> Iterator[ast.AST]:
    """What an optimizer minimises on this line; for `fit`, what `compile` was given as its loss."""
    nodes = nodes_at(sources, place)
    found = [(call, "0") for _, call in method_calls(nodes, ("minimize",))]
    if any(isinstance(node, ast.Attribute) and node.attr in _FIT for node in nodes):
        compiled = method_calls(ast.walk(tree_of(sources, place.file)), ("compile",))
        found += [(call, "1") for _, call in compiled]
    for call, position in found:
        loss = passed_argument(call, "loss") or passed_argument(call, position)
        if loss is not None:
            yield loss


def _functions(tree: ast.Module, name: str) -> list[ast.FunctionDef]:
    last = name.rpartition(".")[2]
    found = [node for node in walk(tree, ast.FunctionDef) if node.name == last]
    return found if len(found) == 1 else []


def _returned(function: ast.FunctionDef) -> list[ast.expr]:
    return [node.value for node in within(function) if isinstance(node, ast.Return) and node.value is not None]


def _location(tree: ast.Module, file: str, line: int) -> Location:
    return Location(file=file, line=line, function=enclosing(tree, line))
