"""Where the program has the tensors that a step is given: under a name, in an array, or as an expression; runs in the
user's process, in listed steps and at a capture.

Invariant: what is found is worth the same as the tensor, bit for bit after the conversion to its type, at the
time of the update.
"""

from __future__ import annotations

import ast
from typing import Any

from whydied.inside.numerics.eager.expressions import Expression, Offer, Offers, as_array
from whydied.inside.numerics.eager.named_tensors import Holding, Place
from whydied.inside.numerics.eager.op_log import Entry, OpLog

LARGEST_FOUND = 8


class Provenance:
    """Of the tensors of one listed step. `tensors` are those that the program holds, by number."""

    def __init__(self, log: OpLog, held: list[Holding], offers: Offers) -> None:
        self._log = log
        self._offers = offers
        self.places: dict[int, Place] = {}
        self.tensors: dict[int, Any] = {}
        self._arrays: dict[tuple[int, ...], list[tuple[Place, Any]]] = {}
        for place, value in held:
            kind = type(value).__name__
            if kind == "EagerTensor":
                self.places.setdefault(value._id, place)
                self.tensors[value._id] = value
            elif kind == "ndarray" and value.dtype.kind in "biuf":
                self._arrays.setdefault(tuple(value.shape), []).append((place, value))
        self._users: dict[int, list[Entry]] = {}
        for entry in log.entries if offers else ():
            for number in entry.inputs:
                self._users.setdefault(number, []).append(entry)

    def array(self, tensor: Any) -> Place | None:
        """The NumPy array of the program's that a tensor was made from: one with the same contents."""
        shape = tuple(tensor._shape_tuple())
        candidates = self._arrays.get(shape, ()) if shape else ()
        if not candidates:
            return None
        value = tensor._numpy()
        for place, array in candidates:
            if array.dtype.kind == value.dtype.kind and (array.astype(value.dtype).tobytes() == value.tobytes()):
                return place
        return None

    def expressions(self, tensor: Any) -> list[Expression]:
        """The expressions of the statement that first used a tensor, and of those that called it, that are worth what
        the tensor is."""
        users = self._users.get(tensor._id)
        if not users:
            return []
        value = tensor._numpy()
        if value.dtype.kind not in "biuf":
            return []
        for level in self._offers.get(users[0].around.lines, ()):
            found = [offer.expression for offer in level if _is_worth(offer, value)]
            if found:
                return found[:LARGEST_FOUND]
        return []

    def slices(self, start: int) -> dict[int, Offer]:
        """Tensors that are parts of others which the program holds, such as `x[i:i + 32]`: by number, with what they
        are worth. The ops between are bookkeeping of TensorFlow's."""
        found: dict[int, Offer] = {}
        for entry in self._log.entries[start:]:
            if entry.kind != "StridedSlice" or entry.inputs[0] not in self.places:
                continue
            fitting = [
                offer
                for offer in self._beside(entry)
                if self._takes(offer, entry) and as_array(offer.value, entry.types[0].as_numpy_dtype) is not None
            ]
            if len(fitting) == 1:
                found[entry.outputs[0]] = fitting[0]
        return found

    def _beside(self, entry: Entry) -> list[Offer]:
        """The expressions of the statement that ran an op."""
        levels = self._offers.get(entry.around.lines)
        return levels[0] if levels else []

    def _takes(self, offer: Offer, entry: Entry) -> bool:
        """Whether an expression is a subscript of the tensor that an op slices, beginning at the same place."""
        node = offer.expression.node
        if not isinstance(node, ast.Subscript):
            return False
        base = next((one for one in self._beside(entry) if one.expression.text == ast.unparse(node.value)), None)
        if base is None or getattr(base.value, "_id", None) != entry.inputs[0]:
            return False
        begin = self._log.tensor(entry.inputs[1])
        first = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
        if isinstance(first, ast.Slice):
            first = first.lower if first.lower is not None else ast.Constant(0)
        worth = self._worth(first, entry)
        return begin is None or worth is None or int(begin._numpy().reshape(-1)[0]) == worth

    def _worth(self, node: ast.expr, entry: Entry) -> int | None:
        if isinstance(node, ast.Constant):
            return node.value if type(node.value) is int else None
        text = ast.unparse(node)
        for offer in self._beside(entry):
            if offer.expression.text == text:
                value = offer.value.start or 0 if type(offer.value) is slice else offer.value
                return int(value) if type(value).__name__.startswith("int") else None
        return None


def _is_worth(offer: Offer, value: Any) -> bool:
    shape = getattr(offer.value, "shape", None) if type(offer.value).__module__ == "numpy" else None
    if shape is not None and tuple(shape) != value.shape:
        return False
    array = as_array(offer.value, value.dtype)
    return array is not None and array.shape == value.shape and array.tobytes() == value.tobytes()
