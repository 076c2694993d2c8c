"""Arrays that are a whole data set, as far as the source shows it, and what their labels are. Pure."""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.lint.kinds import kinds_of
from whydied.lint.scopes import Bound
from whydied.lint.unit import Unit
from whydied.source.calls import callee, passed_argument

CLASSES = {"mnist": 10, "fashion_mnist": 10, "cifar10": 10, "cifar100": 100, "reuters": 46, "imdb": 2}
_SAME_ARRAY = frozenset(
    {
        *("asarray", "array", "expand_dims", "reshape", "float32", "ascontiguousarray", "pad_sequences", "constant"),
        *("convert_to_tensor", "cast", "copy", "squeeze", "divide", "true_divide", "repeat", "stack", "transpose"),
    }
)
_SAME_METHOD = frozenset({"astype", "reshape", "copy", "transpose", "squeeze"})
_DEEPEST = 12


class Origin(NamedTuple):
    """Where an array comes from: the name of a data set of Keras, "file" or "split"; `place` is its part in what that
    call gives."""

    name: str
    place: tuple[int, ...]


def origin(unit: Unit, node: ast.AST | None, place: tuple[int, ...] = (), depth: int = _DEEPEST) -> Origin | None:
    """The data set that an expression is all rows of; None for parts of one, and where it is not known."""
    if node is None or not depth:
        return None
    if isinstance(node, ast.Name):
        found = {_of_bound(unit, one, place, depth - 1) for one in unit.scopes.reaching(node) if one.kind != "augment"}
        return found.pop() if len(found) == 1 else None
    if isinstance(node, ast.BinOp):
        if unit.number(node.right) is not None or kinds_of(unit).of(node.right) == "number":
            return origin(unit, node.left, place, depth - 1)
        return None
    if isinstance(node, ast.Subscript):
        return origin(unit, node.value, place, depth - 1) if _keeps_rows(node.slice) else None
    if isinstance(node, ast.Call):
        return _of_call(unit, node, place, depth)
    return None


def _of_bound(unit: Unit, one: Bound, place: tuple[int, ...], depth: int) -> Origin | None:
    if one.kind != "assign":
        return None
    return origin(unit, one.value, (*one.place, *place), depth)


def _of_call(unit: Unit, call: ast.Call, place: tuple[int, ...], depth: int) -> Origin | None:
    name = unit.called(call)
    if name.startswith("keras.datasets.") and name.endswith(".load_data"):
        return Origin(name.split(".")[2], place)
    if name == "np.load":
        return Origin("file", place)
    last = callee(call)
    if last == "train_test_split" and place and place[0] // 2 < len(call.args):
        return origin(unit, call.args[place[0] // 2], place[1:], depth - 1)
    if name.startswith(("np.", "tf.", "keras.")) and last in _SAME_ARRAY and call.args:
        return origin(unit, call.args[0], place, depth - 1)
    if isinstance(call.func, ast.Attribute) and not name and last in _SAME_METHOD:
        return origin(unit, call.func.value, place, depth - 1)
    return None


def _keeps_rows(index: ast.expr) -> bool:
    """`x[..., None]`, `x[:, :, np.newaxis]`: more axes, the same rows."""
    first = index.elts[0] if isinstance(index, ast.Tuple) and index.elts else index
    if isinstance(first, ast.Slice):
        return first.lower is None and first.upper is None and first.step is None
    return isinstance(first, ast.Constant) and first.value is Ellipsis


class Targets(NamedTuple):
    """What labels are: "one-hot" or "integers", and how many classes they have where that is known."""

    form: str
    classes: float | None
    node: ast.AST


def targets(unit: Unit, node: ast.AST | None, depth: int = _DEEPEST) -> Targets | None:
    if node is None or not depth:
        return None
    if isinstance(node, ast.Name):
        bound = [one for one in unit.scopes.reaching(node) if one.kind != "augment"]
        if len(bound) != 1 or bound[0].kind != "assign":
            return None
        if bound[0].place:
            return _of_part(unit, bound[0], depth)
        return targets(unit, bound[0].value, depth - 1)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        number = unit.number(node.right)
        counted = isinstance(node.left, ast.Call) and unit.called(node.left) in ("np.arange", "tf.range")
        return Targets("integers", number, node) if counted and number is not None else None
    if isinstance(node, ast.Subscript):
        if isinstance(node.value, ast.Call) and unit.called(node.value) in ("np.eye", "np.identity"):
            return Targets("one-hot", unit.number(passed_argument(node.value, "0")), node)
        return targets(unit, node.value, depth - 1) if isinstance(node.slice, ast.Slice | ast.Name) else None
    if not isinstance(node, ast.Call):
        return None
    name, last = unit.called(node), callee(node)
    if name.endswith("utils.to_categorical") or name == "tf.one_hot":
        number = unit.number(
            passed_argument(node, "num_classes") or passed_argument(node, "depth") or passed_argument(node, "1")
        )
        return Targets("one-hot", number, node)
    if name in ("np.repeat", "np.tile", "np.array", "tf.constant", "np.asarray") and node.args:
        return _listed(node)
    if name == "np.random.randint":
        return _drawn(unit, node)
    if last in ("astype", "flatten", "ravel", "reshape") and isinstance(node.func, ast.Attribute):
        return targets(unit, node.func.value, depth - 1)
    return None


def _listed(call: ast.Call) -> Targets | None:
    """Class numbers that are written out: `np.repeat([0, 1, 2], 50)`."""
    given = call.args[0]
    parts = given.elts if isinstance(given, ast.List | ast.Tuple) else []
    numbers = [one.value for one in parts if isinstance(one, ast.Constant) and type(one.value) is int]
    whole = len(parts) > 1 and len(numbers) == len(parts) and min(numbers) == 0
    return Targets("integers", max(numbers) + 1, call) if whole else None


def _drawn(unit: Unit, call: ast.Call) -> Targets | None:
    size = passed_argument(call, "size") or passed_argument(call, "2")
    axes = len(size.elts) if isinstance(size, ast.Tuple) else 1
    high = unit.number(passed_argument(call, "high") or passed_argument(call, "1"))
    if high is None and len(call.args) == 1:
        high = unit.number(call.args[0])
    last = unit.number(size.elts[-1]) if isinstance(size, ast.Tuple) and size.elts else 1
    return Targets("integers", high, call) if high is not None and (axes == 1 or (axes == 2 and last == 1)) else None


def _of_part(unit: Unit, one: Bound, depth: int) -> Targets | None:
    call = one.value
    if not isinstance(call, ast.Call):
        return None
    name = unit.called(call)
    if name.startswith("keras.datasets.") and name.endswith(".load_data") and one.place[-1:] == (1,):
        classes = CLASSES.get(name.split(".")[2])
        return Targets("integers", classes, call) if classes is not None else None
    if callee(call) == "train_test_split" and one.place[0] // 2 < len(call.args):
        return targets(unit, call.args[one.place[0] // 2], depth - 1)
    return None
