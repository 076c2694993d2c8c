"""A `tf.function` is traced again in every round of a loop.

## What it detects
A loop that makes a `tf.function` (by the decorator, the call, or a function that returns a new one) and calls it in
the same round; or a call of one in a loop with a Python number that changes from round to round: a loop's own
counter, or one that the loop counts up.

## Why it matters
A new function has no traces, and a Python number is part of a trace: each round traces the code again and keeps the
graph. It is slow, and memory grows.

## When it stays silent
A tensor is passed (`tf.constant(step)`), the function has an `input_signature`, the loop has at most ten rounds or is
traced itself, the functions are kept for later calls.

## Fix
Make the function once, above the loop, and pass what changes as a tensor: `train_step(batch, tf.constant(step))`.
`--fix` does so for a counter that is an argument by position.

## References
https://www.tensorflow.org/guide/function#controlling_retracing
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whydied.lint.kinds import kinds_of, returns_of
from whydied.lint.library_kinds import NUMBER
from whydied.lint.repetition import is_function_wrapper, is_traced, rounds
from whydied.lint.scopes import Loop
from whydied.lint.static_rule import Hit
from whydied.lint.unit import Unit
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.import_edits import name_of
from whydied.source.trees import Function

SAME_FAULT = ("retracing",)
FEWEST_ROUNDS = 10


def check(unit: Unit) -> Iterator[Hit]:
    if unit.is_graph:
        return
    for function in unit.scopes.functions:
        if any(is_function_wrapper(unit, one) for one in function.decorator_list):
            yield from _made_in_loop(unit, function, function.name)
    for call in unit.calls:
        if unit.called(call) == "tf.function" and call.args:
            parent = unit.scopes.parent(call)
            target = parent.targets[0] if isinstance(parent, ast.Assign) else None
            if isinstance(parent, ast.Call) and parent.func is call:
                yield from _made_in_loop(unit, call, "")
            elif isinstance(target, ast.Name):
                yield from _made_in_loop(unit, call, target.id)
        yield from _called_with_number(unit, call)
        yield from _made_by_factory(unit, call)


def _made_by_factory(unit: Unit, call: ast.Call) -> Iterator[Hit]:
    """`make_step(model)(batch)` in a loop, where the function makes a tf.function each time."""
    factory = call.func if isinstance(call.func, ast.Call) else None
    own = unit.function(factory) if factory is not None and _long_loops(unit, call) else None
    if factory is None or own is None or own[1].decorator_list:
        return
    inner = {
        one.name: one
        for one in own[1].body
        if isinstance(one, Function) and any(is_function_wrapper(own[0], wrapper) for wrapper in one.decorator_list)
    }
    given = [one.value.id for one in returns_of(*own) if isinstance(one.value, ast.Name)]
    if given and all(name in inner for name in given):
        yield Hit(
            call,
            f"`{unit.written(factory.func)}` makes a new tf.function in every round, and it is traced each time",
            f"Call `{unit.written(factory)}` once, above the loop.",
        )


def _long_loops(unit: Unit, node: ast.AST) -> list[Loop]:
    loops = unit.scopes.loops_around(node)
    numbers = [rounds(unit, loop) for loop in loops]
    return [loop for loop, number in zip(loops, numbers, strict=True) if number is None or number > FEWEST_ROUNDS]


def _made_in_loop(unit: Unit, node: ast.expr | ast.stmt, name: str) -> Iterator[Hit]:
    loops = _long_loops(unit, node)
    if not loops or is_traced(unit, unit.scopes.parent(node) or node):
        return
    inside = loops[0]
    if isinstance(inside, ast.For) and _is_of_kinds(unit, inside):
        return
    called = not name or any(
        isinstance(call.func, ast.Name) and call.func.id == name and unit.scopes.within(call, inside)
        for call in unit.calls
    )
    if called:
        what = f"`{name}`" if name else f"`{unit.written(node)}`"
        line = unit.place(inside.lineno)[1]
        place = node.decorator_list[0] if isinstance(node, Function) else node
        yield Hit(
            place,
            f"{what} is a new tf.function in every round of the loop in line {line}, and traced each time",
            "Make it once, above the loop, and pass what changes as an argument.",
        )


def _is_of_kinds(unit: Unit, loop: ast.For) -> bool:
    """A loop over things that need a function each: models, names, other functions. Numbers and batches do not."""
    number = rounds(unit, loop)
    iterated = loop.iter
    return number is None and not (
        (
            isinstance(iterated, ast.Call)
            and (
                (isinstance(iterated.func, ast.Name) and iterated.func.id in ("range", "enumerate", "zip", "tqdm"))
                or isinstance(iterated.func, ast.Attribute)
            )
        )
        or isinstance(iterated, ast.Name)
    )


def _called_with_number(unit: Unit, call: ast.Call) -> Iterator[Hit]:
    if not isinstance(call.func, ast.Name) or not call.args:
        return
    loops = unit.scopes.loops_around(call)
    if not loops or not _is_function(unit, call.func) or is_traced(unit, call):
        return
    for argument in [*call.args, *(one.value for one in call.keywords)]:
        changing = [one for one in _numbers_in(unit, argument) if _counts(unit, one, loops)]
        if changing:
            name, value = call.func.id, unit.written(argument)
            yield Hit(
                call,
                f"`{name}` is traced again for every value of the Python number `{value}`",
                f"Pass a tensor: `tf.constant({value})`.",
                tuple(_as_tensor(unit, argument)),
            )
            return


def _numbers_in(unit: Unit, argument: ast.expr) -> list[ast.Name]:
    """The names in a number that is computed of names and constants alone; none where it could be a tensor."""
    nodes = list(ast.walk(argument))
    plain = (ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context)
    names = [one for one in nodes if isinstance(one, ast.Name)]
    if not all(isinstance(one, plain) for one in nodes) or not all(_is_number(unit, one) for one in names):
        return []
    return names


def _is_number(unit: Unit, name: ast.Name) -> bool:
    return kinds_of(unit).of(name) == NUMBER or unit.number(name) is not None


def _as_tensor(unit: Unit, argument: ast.expr) -> Iterator[Edit]:
    module = name_of(unit.source, "tensorflow")
    if module is not None:
        text = f"{module}.constant({written_in(unit.source, argument)})"
        yield over(unit.source, unit.file, argument, text)


def _is_function(unit: Unit, name: ast.Name) -> bool:
    """Whether a name is a tf.function that any value may retrace."""
    found = unit.definition(name)
    if found is not None and isinstance(found[1], Function):
        return any(is_function_wrapper(found[0], one) and not _has_signature(one) for one in found[1].decorator_list)
    bound = unit.scopes.reaching(name)
    made = bound[0].value if len(bound) == 1 and bound[0].kind == "assign" else None
    return isinstance(made, ast.Call) and unit.called(made) == "tf.function" and not _has_signature(made)


def _has_signature(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and any(one.arg in ("input_signature", None) for one in node.keywords)


def _counts(unit: Unit, name: ast.Name, loops: list[Loop]) -> bool:
    """Whether a name is a Python number that changes in one of the loops, and more than a few times."""
    for one in unit.scopes.reaching(name):
        loop = one.node
        if one.kind == "loop" and loop in loops and isinstance(loop, ast.For) and _is_counter(loop.iter, one.place):
            number = rounds(unit, loop)
            if number is None or number > FEWEST_ROUNDS:
                return True
        own = one.kind == "assign" and one.value is not None and not one.place
        if own and any(unit.scopes.within(one.node, outer) for outer in loops[:1]):
            again = any(isinstance(part, ast.Name) and part.id == name.id for part in ast.walk(one.value or name))
            number = rounds(unit, loops[0])
            if again and (number is None or number > FEWEST_ROUNDS):
                return True
        added = one.kind == "augment" and any(unit.scopes.within(one.node, outer) for outer in loops)
        if added and (rounds(unit, loops[0]) or FEWEST_ROUNDS + 1) > FEWEST_ROUNDS:
            return True
    return False


def _is_counter(iterated: ast.expr, place: tuple[int, ...]) -> bool:
    """Whether a loop counts: `for i in range(n)`, and `i` of `for i, x in enumerate(items)`."""
    name = iterated.func.id if isinstance(iterated, ast.Call) and isinstance(iterated.func, ast.Name) else ""
    return name in ("range", "trange") or (name == "enumerate" and place == (0,))
