"""A tensor of every step is kept in a list, dict or set.

## What it detects
`append`, `add`, `extend` or an item assignment in a loop that puts an eager tensor, computed in that round, into a
container that was made before the loop and is never emptied: a loss in a training loop, or any tensor in a loop of at
least 1,000 rounds or without an end (of 100 where nobody reads the container); or in the `call` of a layer or what a
callback does for each batch, into a list that only its constructor makes.

## Why it matters
A tensor keeps its whole buffer alive, on a GPU in the GPU's memory, and memory grows with every step until the
process is killed.

## When it stays silent
The value is a number or an array (`float(loss)`, `loss.numpy()`); the container is made anew in each epoch, emptied,
bounded (`deque(maxlen=…)`) or put together afterwards (`tf.concat`, `tf.stack`); the code is traced (`tf.function`, a
layer's `call`) or builds a graph of TensorFlow 1; the tensors are recorded by a gradient tape, which needs them; the
loops have fewer than 100 rounds, or 1,000 where the tensor is a single number; the value is one of an epoch, not of a
step.

## Fix
Keep numbers: `losses.append(float(loss))`. `--fix` does so where the tensor surely is a single number.

## Known problems
What another file puts into the container is not seen.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whydied.lint.kinds import kinds_of
from whydied.lint.library_kinds import CALLBACK, LAYER, MODEL, TAPE, TENSOR, TENSORS
from whydied.lint.repetition import is_traced, repeated, rounds, trains
from whydied.lint.scopes import Bound, Loop
from whydied.lint.static_rule import Hit
from whydied.lint.unit import Unit
from whydied.source.calls import callee
from whydied.source.edits.edit import over, written_in
from whydied.source.trees import Function

SAME_FAULT = ("tensors-kept-in-container",)
FEWEST_ROUNDS = 100
MANY_ROUNDS = 1000
_ADDING = frozenset({"append", "add", "extend", "appendleft", "insert"})
_OF_EACH_BATCH = frozenset({"on_train_batch_end", "on_train_batch_begin", "on_batch_end", "on_batch_begin"})
_EMPTYING = frozenset({"clear", "pop", "popleft", "popitem", "remove"})
_JOINING = frozenset(
    {
        "concat",
        "stack",
        "add_n",
        "concatenate",
        "vstack",
        "hstack",
        "convert_to_tensor",
        "accumulate_n",
        "choice",
        "sample",
    }
)


def check(unit: Unit) -> Iterator[Hit]:
    if not unit.uses_tensorflow or unit.is_graph:
        return
    for call in unit.calls:
        if isinstance(call.func, ast.Attribute) and call.func.attr in _ADDING and call.args:
            yield from _checked(unit, call, call.func.value, call.args[-1])
    for added in unit.scopes.every(ast.AugAssign):
        if isinstance(added.op, ast.Add) and isinstance(added.value, ast.List) and len(added.value.elts) == 1:
            yield from _checked(unit, added, added.target, added.value.elts[0])
    for node in unit.scopes.every(ast.Assign):
        target = node.targets[0]
        if isinstance(target, ast.Subscript):
            yield from _checked(unit, node, target.value, node.value)


def _checked(unit: Unit, node: ast.expr | ast.stmt, holder: ast.expr, value: ast.expr) -> Iterator[Hit]:
    kinds = kinds_of(unit)
    loops = unit.scopes.loops_around(node) if _is_local(unit, holder) else repeated(unit, node)
    if kinds.of(value) not in (TENSOR, TENSORS):
        return
    made = _made(unit, holder)
    if made is None or not made or not all(_is_empty_container(one) for one in made):
        return
    if _is_kept_by_layer(unit, node, made):
        yield from _of_layer(unit, node, holder, value)
        return
    if not loops or is_traced(unit, node):
        return
    own = [loop for loop in loops if not any(unit.scopes.within(one.node, loop) for one in made)]
    if not own or len(own) < len(loops) or not _made_in(unit, value, own, node):
        return
    if not _is_long(unit, own, holder, value) or _is_let_go(unit, holder, own) or _is_taped(unit, node):
        return
    name, kept = unit.written(holder), unit.written(value)
    scalar = kinds.is_scalar(value)
    advice = (
        f"Keep a number: `{name}.append(float({kept}))`."
        if scalar
        else f"Keep `{kept}.numpy()` of what is needed, or only the last few."
    )
    edits = (over(unit.source, unit.file, value, f"float({written_in(unit.source, value)})"),) if scalar else ()
    one = "tensors" if kinds.of(value) == TENSORS else "tensor"
    what = "the loss" if "loss" in kept else f"the {one} `{kept}`"
    yield Hit(node, f"`{name}` keeps {what} of every step, and memory grows with each", advice, edits)


def _is_local(unit: Unit, holder: ast.expr) -> bool:
    """Whether the container is gone when its function returns, however often that is called."""
    seen = unit.scopes.visible(holder.id, holder) if isinstance(holder, ast.Name) else None
    return seen is not None and isinstance(seen[0], Function)


def _made(unit: Unit, holder: ast.expr) -> list[Bound] | None:
    """What makes the container."""
    if isinstance(holder, ast.Name):
        # An augmented assignment of a list is what fills it.
        seen = unit.scopes.visible(holder.id, holder)
        return [one for one in seen[1] if one.kind != "augment"] if seen is not None else None
    if isinstance(holder, ast.Attribute) and isinstance(holder.value, ast.Name) and holder.value.id == "self":
        owner = unit.scopes.owner(holder)
        return unit.scopes.attributes.get(owner, {}).get(holder.attr) if owner is not None else None
    if isinstance(holder, ast.Subscript):
        return _made(unit, holder.value)
    return None


def _is_empty_container(one: Bound) -> bool:
    value = one.value
    if one.kind != "assign" or one.place:
        return False
    if isinstance(value, ast.List | ast.Dict | ast.Set):
        return True
    return isinstance(value, ast.Call) and (
        callee(value) in ("list", "dict", "set", "defaultdict")
        or (
            callee(value) == "deque"
            and not any(word.arg == "maxlen" for word in value.keywords)
            and len(value.args) < 2
        )
    )


def _made_in(unit: Unit, value: ast.expr, loops: list[Loop], node: ast.AST) -> bool:
    """Whether each round makes another tensor: the value is computed in the loop, or in the function that it calls."""
    function = unit.scopes.function(node)
    for name in [one for one in ast.walk(value) if isinstance(one, ast.Name)]:
        for bound in unit.scopes.reaching(name):
            inside = any(unit.scopes.within(bound.node, loop) for loop in loops)
            if bound.kind != "import" and (
                inside or (function is not None and unit.scopes.within(bound.node, function))
            ):
                return True
    return isinstance(value, ast.Call)


def _is_long(unit: Unit, loops: list[Loop], holder: ast.expr, value: ast.expr) -> bool:
    scalar = kinds_of(unit).is_scalar(value)
    numbers = [rounds(unit, loop) for loop in loops]
    total = 1.0
    for one in numbers:
        total *= one if one is not None else 1
    known = all(one is not None for one in numbers)
    if trains(unit, loops[0]):
        return not known or total >= (MANY_ROUNDS if scalar else FEWEST_ROUNDS)
    endless = any(isinstance(loop, ast.While) and _is_true(loop.test) for loop in loops)
    return endless or total >= (MANY_ROUNDS if scalar or _is_read(unit, holder) else FEWEST_ROUNDS)


def _is_read(unit: Unit, holder: ast.expr) -> bool:
    """Whether anybody looks at what the container holds."""
    if not isinstance(holder, ast.Name):
        return True
    for one in unit.scopes.every(ast.Name):
        if one.id == holder.id and isinstance(one.ctx, ast.Load):
            parent = unit.scopes.parent(one)
            if not (isinstance(parent, ast.Attribute) and parent.attr in _ADDING):
                return True
    return False


def _is_kept_by_layer(unit: Unit, node: ast.AST, made: list[Bound]) -> bool:
    """Whether the `call` of a layer, or what a callback does for each batch, adds to a list that only the constructor
    makes: it grows with every call."""
    function = unit.scopes.function(node)
    owner = unit.scopes.parent(function) if function is not None else None
    if not isinstance(owner, ast.ClassDef) or function is None:
        return False
    kind = kinds_of(unit).class_kind(owner)
    is_call = function.name == "call" and kind in (LAYER, MODEL)
    if not is_call and not (function.name in _OF_EACH_BATCH and kind == CALLBACK):
        return False
    makers = [unit.scopes.function(one.node) for one in made]
    return all(
        one is not None and one.name in ("__init__", "build") and unit.scopes.parent(one) is owner for one in makers
    )


def _of_layer(unit: Unit, node: ast.expr | ast.stmt, holder: ast.expr, value: ast.expr) -> Iterator[Hit]:
    if not _is_let_go(unit, holder, []):
        name, function = unit.written(holder), unit.scopes.function(node)
        called = function.name if function is not None else "call"
        yield Hit(
            node,
            f"every `{called}` keeps the tensor `{unit.written(value)}` in `{name}`",
            f"Keep the last one only (`{name} = …`), or return it.",
        )


def _is_true(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and bool(test.value)


def _is_let_go(unit: Unit, holder: ast.expr, loops: list[Loop]) -> bool:
    """Whether the program empties, bounds or joins the container."""
    written = ast.dump(holder).replace("Store()", "Load()")
    for call in unit.calls:
        function = call.func
        if isinstance(function, ast.Attribute) and function.attr in _EMPTYING and ast.dump(function.value) == written:
            return True
        if callee(call) in _JOINING and any(
            ast.dump(part) == written
            for one in call.args[:1]
            for part in ast.walk(one)
            if isinstance(part, type(holder))
        ):
            return True
    for node in [*unit.scopes.every(ast.Delete)]:
        if any(isinstance(one, ast.Subscript) and ast.dump(one.value) == written for one in node.targets):
            return True
    for assigned in unit.scopes.every(ast.Assign):
        for target in assigned.targets:
            base = target.value if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice) else None
            if base is not None and ast.dump(base) == written:
                return True
    return any(
        isinstance(one, ast.Return | ast.Yield) and one.value is not None and ast.dump(one.value) == written
        for kind in (ast.Return, ast.Yield)
        for one in unit.scopes.every(kind)
        if not any(trains(unit, loop) for loop in loops)
    )


def _is_taped(unit: Unit, node: ast.AST) -> bool:
    """Whether a tape records here: what it differentiates has to stay a tensor."""
    kinds = kinds_of(unit)
    for above in unit.scopes.ancestors(node):
        if isinstance(above, ast.With | ast.AsyncWith) and any(
            kinds.of(item.context_expr) == TAPE for item in above.items
        ):
            return True
        if isinstance(above, Function):
            break
    return False
