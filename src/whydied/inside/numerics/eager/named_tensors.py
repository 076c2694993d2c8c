"""Where the program holds a tensor or an array: the name of a variable of a running frame, and the way from there; runs
in the user's process.

Invariant: nothing of the program's is called. Plain tuples, lists and dicts are entered, and the attributes of
`self`; everything else is looked at by identity only. A place names the code of its frame, so that the value of a later
step is found under the same name. What is found of a tensor is worth the same, bit for bit after the conversion to its
type, at the time of the update.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any, NamedTuple

from whydied.inside import journal
from whydied.inside.guest.frame_variables import of_library, variable, variables
from whydied.inside.guest.lookup import instance_dict
from whydied.inside.numerics.eager import expressions
from whydied.inside.numerics.eager.expressions import Expression, Offer, Offers, as_array
from whydied.inside.numerics.eager.op_log import Entry, OpLog

LARGEST_FRAMES = 40
LARGEST_ITEMS = 64
LARGEST_NAMES = 5000
_DEPTH = 2
_KERAS = (f"{os.sep}keras{os.sep}src{os.sep}", f"{os.sep}tf_keras{os.sep}src{os.sep}")

Step = tuple[str, Any]
"""("item", index or key) or ("attribute", name)."""
LARGEST_FOUND = 8


class Place(NamedTuple):
    """A variable of a frame that runs some code, and the steps from it to a value. `user` says whether it is the
    user's code."""

    code: CodeType
    name: str
    steps: tuple[Step, ...]
    user: bool

    @property
    def text(self) -> str:
        """As the source would write it."""
        written = self.name
        for kind, key in self.steps:
            written += f"[{key!r}]" if kind == "item" else f".{key}"
        return written


class Holding(NamedTuple):
    place: Place
    value: Any


MISSING = expressions.MISSING


def holdings(frame: FrameType | None) -> list[Holding]:
    """The tensors, variables and arrays that the running frames hold; the user's frames come first, the innermost of
    them before the others."""
    users: list[Holding] = []
    others: list[Holding] = []
    owner = journal.current()
    for _ in range(LARGEST_FRAMES):
        if frame is None or owner is None:
            break
        code = frame.f_code
        user = owner.ownership.user_file(frame) is not None
        if user or any(part in code.co_filename for part in _KERAS):
            names = variables(frame) if user else list(of_library(frame).items())
            for name, value in names[:LARGEST_NAMES]:
                if not name.startswith("__"):
                    for steps, thing in _reach(value, _DEPTH, name == "self" and user):
                        found = Holding(Place(code, name, steps, user), thing)
                        (users if user else others).append(found)
        frame = frame.f_back
    # The name of an argument of Keras' own, "x", says more than a part of what it came in.
    return users + sorted(others, key=lambda holding: len(holding.place.steps))


def found_again(place: Place | Expression, frame: FrameType | None) -> Any:
    """What a place holds, or an expression is worth, now; `MISSING` where the code does not run or the way is another
    one."""
    for _ in range(LARGEST_FRAMES):
        if frame is None:
            return MISSING
        if frame.f_code is place.code:
            break
        frame = frame.f_back
    else:
        return MISSING
    if isinstance(place, Expression):
        return expressions.evaluate(place.node, frame, place.call)
    value = variable(frame, place.name, MISSING)
    for kind, key in place.steps:
        try:
            if kind == "attribute":
                value = instance_dict(value).get(key, MISSING)
            elif type(value) in (tuple, list, dict):
                value = value[key]
            else:
                return MISSING
        except (KeyError, IndexError, TypeError):
            return MISSING
    return value


def _reach(value: Any, depth: int, enter: bool = False) -> Iterator[tuple[tuple[Step, ...], Any]]:
    if _is_value(value):
        yield (), value
    elif type(value) in (tuple, list) and depth:
        for index, item in enumerate(value[:LARGEST_ITEMS]):
            for steps, thing in _reach(item, depth - 1):
                yield (("item", index), *steps), thing
    elif type(value) is dict and depth:
        for key, item in list(value.items())[:LARGEST_ITEMS]:
            if type(key) in (str, int):
                for steps, thing in _reach(item, depth - 1):
                    yield (("item", key), *steps), thing
    elif enter:
        for name, item in list(instance_dict(value).items())[:LARGEST_ITEMS]:
            for steps, thing in _reach(item, 1):
                yield (("attribute", name), *steps), thing


def _is_value(value: Any) -> bool:
    kind = type(value)
    if kind.__module__ == "numpy":
        return kind.__name__ == "ndarray"
    return kind.__name__ in ("EagerTensor", "ResourceVariable", "Variable")


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
