"""What sort of value an expression has, as far as the file and the project show: a tensor, an array, a model. Pure.

Invariant: "" means not known, and whoever asks stays silent then. A name has a kind only where all that it can have its
value from agree.
"""

from __future__ import annotations

import ast

from whydied.lint.library_kinds import (
    ARRAY,
    CALLBACK,
    DATASET,
    DRAWN,
    GENERATOR,
    ITERATOR,
    LAYER,
    LIST,
    LOSS,
    METRIC,
    MODEL,
    NUMBER,
    SESSION,
    TAPE,
    TENSOR,
    TENSORS,
    is_op,
    library_kind,
)
from whydied.lint.scopes import Bound
from whydied.lint.unit import Unit
from whydied.source.trees import Function

_DEEPEST = 12
_LIBRARIES = frozenset({"tf", "keras", "np", "tfds", "tensorflow_datasets"})
_ARRAY_METHODS = frozenset({"numpy", "tolist", "item"})
_TENSOR_METHODS = frozenset({"result"})
_SAME_DATASET = frozenset(
    {
        *("map", "batch", "shuffle", "repeat", "prefetch", "cache", "take", "skip", "filter", "interleave", "flat_map"),
        *("padded_batch", "shard", "unbatch", "enumerate", "concatenate", "with_options", "window", "apply", "rebatch"),
    }
)
_SCALAR_REDUCTIONS = frozenset({"reduce_mean", "reduce_sum", "reduce_max", "reduce_min", "mean", "sum", "add_n"})


class Kinds:
    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self._known: dict[tuple[ast.AST, tuple[int, ...]], str] = {}

    def of(self, node: ast.AST | None, place: tuple[int, ...] = (), depth: int = _DEEPEST) -> str:
        """The kind of what an expression gives; `place` is the part of a tuple that is meant."""
        if node is None or not depth:
            return ""
        key = (node, place)
        if key not in self._known:
            self._known[key] = ""
            self._known[key] = self._found(node, place, depth - 1)
        return self._known[key]

    def _found(self, node: ast.AST, place: tuple[int, ...], depth: int) -> str:
        if isinstance(node, ast.Name):
            return self._of_name(node, place, depth)
        if isinstance(node, ast.Attribute):
            return self._of_attribute(node, place, depth)
        if isinstance(node, ast.Call):
            return self._of_call(node, place, depth)
        if isinstance(node, ast.Constant):
            return NUMBER if isinstance(node.value, int | float) and not isinstance(node.value, bool) else ""
        if isinstance(node, ast.BinOp):
            sides = {self.of(node.left, (), depth), self.of(node.right, (), depth)}
            return next((kind for kind in (TENSOR, ARRAY) if kind in sides), NUMBER if sides == {NUMBER} else "")
        if isinstance(node, ast.UnaryOp):
            return self.of(node.operand, (), depth)
        if isinstance(node, ast.IfExp):
            kinds = {self.of(node.body, place, depth), self.of(node.orelse, place, depth)}
            return kinds.pop() if len(kinds) == 1 else ""
        if isinstance(node, ast.Subscript):
            inner = self.of(node.value, (), depth)
            return inner if inner in (TENSOR, ARRAY) else ""
        if isinstance(node, ast.List | ast.ListComp):
            return LIST
        if isinstance(node, ast.Tuple):
            return self.of(node.elts[place[0]], place[1:], depth) if place and place[0] < len(node.elts) else ""
        return ""

    def _of_name(self, node: ast.Name, place: tuple[int, ...], depth: int) -> str:
        bound = self.unit.scopes.reaching(node)
        kinds = {self.of_binding(one, place, depth) for one in bound if one.kind not in ("augment", "delete")}
        added = {self.of_binding(one, place, depth) for one in bound if one.kind == "augment"}
        if TENSOR in added and kinds <= {TENSOR, NUMBER}:
            return TENSOR
        return kinds.pop() if len(kinds) == 1 and added <= {*kinds, NUMBER} else ""

    def of_binding(self, one: Bound, place: tuple[int, ...] = (), depth: int = _DEEPEST) -> str:
        whole = (*one.place, *place)
        if one.kind in ("assign", "with"):
            return self.of(one.value, whole, depth)
        if one.kind == "augment":
            return self.of(one.value, (), depth)
        if one.kind in ("loop", "comprehension"):
            return self._item(one.value, whole, depth)
        return ""

    def _item(self, node: ast.expr | None, place: tuple[int, ...], depth: int) -> str:
        """What a loop over an expression goes through."""
        name = self.unit.named(node.func) if isinstance(node, ast.Call) else ""
        plain = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not name else name
        if isinstance(node, ast.Call) and plain == "enumerate" and node.args:
            return NUMBER if place[:1] == (0,) else self._item(node.args[0], place[1:], depth)
        if isinstance(node, ast.Call) and plain == "zip" and place and place[0] < len(node.args):
            return self._item(node.args[place[0]], place[1:], depth)
        if isinstance(node, ast.Call) and plain == "range":
            return NUMBER
        if (
            isinstance(node, ast.Call)
            and plain in ("tqdm", "tqdm.tqdm", "tqdm.auto.tqdm", "list", "iter", "reversed")
            and node.args
        ):
            return self._item(node.args[0], place, depth)
        if isinstance(node, ast.Call) and plain == "tf.range":
            return TENSOR
        whole = self.of(node, (), depth)
        return {DATASET: TENSOR, ITERATOR: TENSOR, TENSOR: TENSOR, ARRAY: ARRAY}.get(whole, "")

    def _of_attribute(self, node: ast.Attribute, place: tuple[int, ...], depth: int) -> str:
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            owner = self.unit.scopes.owner(node)
            bound = self.unit.scopes.attributes.get(owner, {}).get(node.attr, []) if owner is not None else []
            if owner is not None and node.attr == "model" and not bound and self.class_kind(owner) == CALLBACK:
                return MODEL
            kinds = {self.of_binding(one, place, depth) for one in bound if one.kind != "augment"}
            return kinds.pop() if len(kinds) == 1 else ""
        if node.attr == "T":
            return self.of(node.value, (), depth)
        return ""

    def _of_call(self, call: ast.Call, place: tuple[int, ...], depth: int) -> str:
        name = self.unit.called(call)
        if name and name.partition(".")[0] in _LIBRARIES:
            return library_kind(call, name, place)
        if isinstance(call.func, ast.Name) and call.func.id in ("float", "int", "len", "round", "abs", "max", "min"):
            return NUMBER if call.func.id not in ("abs", "max", "min") else ""
        if isinstance(call.func, ast.Name) and call.func.id in ("iter", "next") and call.args:
            inner = self.of(call.args[0], (), depth)
            return {"iter": {DATASET: ITERATOR}, "next": {ITERATOR: TENSOR}}[call.func.id].get(inner, "")
        own = self.unit.definition(call.func)
        if own is not None:
            return self._of_own(own[0], own[1], place, depth)
        if self.of(call.func, (), depth) in (MODEL, LAYER, LOSS, METRIC):
            return TENSOR
        return self._of_method(call.func, place, depth) if isinstance(call.func, ast.Attribute) else ""

    def _of_method(self, function: ast.Attribute, place: tuple[int, ...], depth: int) -> str:
        owner = self.of(function.value, (), depth)
        method = function.attr
        if method in _ARRAY_METHODS and owner in (TENSOR, "", ARRAY):
            return ARRAY if method == "numpy" else NUMBER if method == "item" else ""
        if owner == MODEL:
            return {
                "predict": ARRAY,
                "predict_on_batch": ARRAY,
                "train_on_batch": NUMBER,
                "call": TENSOR,
                "evaluate": NUMBER,
            }.get(method, "")
        if owner == METRIC:
            return TENSOR if method in _TENSOR_METHODS else ""
        if owner == DATASET:
            if method in ("as_numpy_iterator",):
                return ARRAY
            return DATASET if method in _SAME_DATASET else ""
        if owner == TAPE:
            return "" if method not in ("gradient", "jacobian") else TENSOR if place else TENSORS
        if owner == GENERATOR:
            return ARRAY if method in DRAWN else ""
        if owner == SESSION:
            return ARRAY if method == "run" else ""
        if owner == ARRAY:
            return (
                ARRAY
                if method in ("astype", "reshape", "copy", "mean", "sum", "transpose", "flatten", "max", "min")
                else ""
            )
        if owner == TENSOR and method in ("get_shape", "set_shape"):
            return ""
        return ""

    def _of_own(self, unit: Unit, made: Function | ast.ClassDef, place: tuple[int, ...], depth: int) -> str:
        kinds = self if unit is self.unit else kinds_of(unit)
        if isinstance(made, ast.ClassDef):
            return kinds.class_kind(made)
        found = {kinds.of(one.value, place, depth) for one in returns_of(unit, made)}
        return found.pop() if len(found) == 1 else ""

    def class_kind(self, made: ast.ClassDef, depth: int = 4) -> str:
        """What the objects of a class of the project are."""
        for base in made.bases:
            name = self.unit.named(base)
            if name in ("keras.Model", "keras.models.Model", "keras.Sequential", "keras.models.Sequential"):
                return MODEL
            if name.startswith("keras.layers.") or name in ("keras.Layer",):
                return LAYER
            if name in ("keras.losses.Loss", "keras.Loss"):
                return LOSS
            if name.startswith("keras.callbacks."):
                return CALLBACK
            own = self.unit.definition(base) if not name and depth else None
            if own is not None and isinstance(own[1], ast.ClassDef) and own[1] is not made:
                found = kinds_of(own[0]).class_kind(own[1], depth - 1)
                if found:
                    return found
        return ""

    def is_scalar(self, node: ast.AST | None, depth: int = 6) -> bool:
        """Whether a tensor surely is a single number: what a mean or a Keras loss object gives."""
        if isinstance(node, ast.Call):
            name = self.unit.called(node)
            if name.rpartition(".")[2] in _SCALAR_REDUCTIONS and is_op(name):
                return len(node.args) == 1 and not any(
                    one.arg in ("axis", "keepdims", "reduction_indices") for one in node.keywords
                )
            if not name and self.of(node.func) == LOSS:
                return not _is_unreduced(self.maker(node.func))
            if isinstance(node.func, ast.Attribute) and node.func.attr == "result":
                return self.of(node.func.value) == METRIC
            own = self.unit.function(node)
            if own is not None and depth:
                inner = kinds_of(own[0])
                made = returns_of(*own)
                return bool(made) and all(inner.is_scalar(one.value, depth - 1) for one in made)
            return False
        if isinstance(node, ast.BinOp) and depth:
            return all(self.of(one) == NUMBER or self.is_scalar(one, depth - 1) for one in (node.left, node.right))
        if isinstance(node, ast.Name) and depth:
            found = [one for one in self.unit.scopes.reaching(node) if one.kind != "augment"]
            return bool(found) and all(
                one.kind == "assign" and not one.place and self.is_scalar(one.value, depth - 1) for one in found
            )
        return False

    def maker(self, node: ast.AST | None, depth: int = 6) -> ast.Call | None:
        """The call that made what a name stands for, where there is only one."""
        if isinstance(node, ast.Call):
            return node
        if isinstance(node, ast.Name) and depth:
            found = [one for one in self.unit.scopes.reaching(node) if one.kind != "augment"]
            if len(found) == 1 and found[0].kind in ("assign", "with") and not found[0].place:
                return self.maker(found[0].value, depth - 1)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self" and depth:
            owner = self.unit.scopes.owner(node)
            bound = self.unit.scopes.attributes.get(owner, {}).get(node.attr, []) if owner is not None else []
            if len(bound) == 1 and not bound[0].place:
                return self.maker(bound[0].value, depth - 1)
        return None


def _is_unreduced(call: ast.Call | None) -> bool:
    if call is None:
        return True
    reduction = next((one.value for one in call.keywords if one.arg == "reduction"), None)
    return reduction is not None


def returns_of(unit: Unit, function: Function) -> list[ast.Return]:
    return [
        one for one in unit.scopes.every(ast.Return) if one.value is not None and unit.scopes.scope(one) is function
    ]


def kinds_of(unit: Unit) -> Kinds:
    """One for each unit, however many rules ask."""
    found = unit.memory.get("kinds")
    if not isinstance(found, Kinds):
        found = unit.memory["kinds"] = Kinds(unit)
    return found
