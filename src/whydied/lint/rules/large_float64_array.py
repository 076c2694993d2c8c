"""A large array is made as float64 and fed to a model.

## What it detects
`np.zeros`, `np.ones`, `np.empty`, `np.full`, `np.random.rand`, `randn`, `random`, `uniform` or `normal` with a size
in the source that makes at least 256 MiB, or of a generator of `np.random.default_rng`, without a `dtype`, passed to
`fit`, `predict`, `evaluate`, a model or a conversion.

## Why it matters
NumPy makes float64, and Keras computes in float32: the array takes twice the memory, and a converted copy comes on
top.

## When it stays silent
A `dtype`, an `astype` on the way, smaller arrays, sizes that the source does not say.

## Fix
`dtype=np.float32` where the function takes it, `.astype(np.float32)` where it does not. `--fix` does so for
`np.zeros`, `np.ones` and `np.empty`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whydied import words
from whydied.lint.kinds import kinds_of
from whydied.lint.library_kinds import GENERATOR
from whydied.lint.static_rule import Hit
from whydied.lint.unit import Unit
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.edit import Edit, end_of

SAME_FAULT = ("redundant-copies", "oversized-tensor")
LEAST_BYTES = 256 << 20
_SHAPED = {"zeros": 0, "ones": 0, "empty": 0, "full": 0}
_DRAWN_SHAPED = frozenset({"random", "random_sample", "standard_normal"})
_DRAWN_SIZED = frozenset({"uniform", "normal"})
_FEEDING = frozenset(
    {"fit", "predict", "evaluate", "convert_to_tensor", "constant", "from_tensor_slices", "train_on_batch"}
)


def check(unit: Unit) -> Iterator[Hit]:
    for call in unit.calls:
        size = _bytes(unit, call)
        if size is None or size < LEAST_BYTES:
            continue
        parent = unit.scopes.parent(call)
        fed = isinstance(parent, ast.Call) and callee(parent) in _FEEDING
        name = (
            parent.targets[0].id if isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name) else ""
        )
        if not fed and not (name and _is_fed(unit, name, parent)):
            continue
        what = f"`{name}`" if name else f"`{unit.written(call)}`"
        takes = callee(call) in _SHAPED
        advice = "Give it `dtype=np.float32`." if takes else "Add `.astype(np.float32)`."
        yield Hit(
            call,
            f"{what} is float64: {words.size(int(size))}, twice what float32 needs",
            advice,
            tuple(_typed(unit, call)),
        )


def _typed(unit: Unit, call: ast.Call) -> Iterator[Edit]:
    if callee(call) in ("zeros", "ones", "empty") and len(call.args) == 1 and isinstance(call.func, ast.Attribute):
        line, column = end_of(unit.source, call)
        module = unit.written(call.func.value)
        if unit.source.lines[line - 1][column - 2] != ",":
            yield Edit(unit.file, (line, column - 1), (line, column - 1), f", dtype={module}.float32")


def _bytes(unit: Unit, call: ast.Call) -> float | None:
    name = unit.called(call)
    last = name.rpartition(".")[2]
    shape: list[ast.expr] | None = None
    if name in [f"np.{one}" for one in _SHAPED]:
        if passed_argument(call, "dtype") is not None or len(call.args) > (2 if last == "full" else 1):
            return None
        if last == "full" and not (
            len(call.args) == 2 and isinstance(call.args[1], ast.Constant) and isinstance(call.args[1].value, float)
        ):
            return None
        shape = _parts(passed_argument(call, "shape") or passed_argument(call, "0"))
    elif name in ("np.random.rand", "np.random.randn"):
        shape = call.args
    elif name.startswith("np.random.") and last in _DRAWN_SHAPED:
        shape = _parts(passed_argument(call, "size") or passed_argument(call, "0"))
    elif name.startswith("np.random.") and last in _DRAWN_SIZED:
        shape = _parts(passed_argument(call, "size") or passed_argument(call, "2"))
    elif isinstance(call.func, ast.Attribute) and kinds_of(unit).of(call.func.value) == GENERATOR:
        last = call.func.attr
        if last in _DRAWN_SHAPED | _DRAWN_SIZED and passed_argument(call, "dtype") is None:
            shape = _parts(
                passed_argument(call, "size") or passed_argument(call, "0" if last in _DRAWN_SHAPED else "2")
            )
    if not shape:
        return None
    size = 8.0
    for one in shape:
        number = unit.number(one)
        if number is None:
            return None
        size *= number
    return size


def _parts(node: ast.expr | None) -> list[ast.expr] | None:
    if node is None:
        return None
    return node.elts if isinstance(node, ast.Tuple | ast.List) else [node]


def _is_fed(unit: Unit, name: str, made: ast.AST | None) -> bool:
    for one in unit.scopes.every(ast.Name):
        if one.id != name or not isinstance(one.ctx, ast.Load):
            continue
        if not any(bound.node is made for bound in unit.scopes.reaching(one)):
            continue
        parent = unit.scopes.parent(one)
        parent = unit.scopes.parent(parent) if isinstance(parent, ast.Tuple | ast.keyword) else parent
        if isinstance(parent, ast.Call) and callee(parent) in _FEEDING:
            return True
    return False
