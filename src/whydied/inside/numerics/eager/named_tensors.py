"""Where the program holds a tensor or an array: the name of a variable of a running frame, and the way from there; runs
in the user's process.

Invariant: nothing of the program's is called. Plain tuples, lists and dicts are entered, and the attributes of
`self`; everything else is looked at by identity only. A place names the code of its frame, so that the value of a later
step is found under the same name.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any, NamedTuple

from whydied.inside import journal
from whydied.inside.guest.frame_variables import of_library, variable, variables
from whydied.inside.guest.lookup import instance_dict
from whydied.inside.numerics.eager import expressions
from whydied.inside.numerics.eager.expressions import Expression

LARGEST_FRAMES = 40
LARGEST_ITEMS = 64
LARGEST_NAMES = 5000
_DEPTH = 2
_KERAS = (f"{os.sep}keras{os.sep}src{os.sep}", f"{os.sep}tf_keras{os.sep}src{os.sep}")

Step = tuple[str, Any]
"""("item", index or key) or ("attribute", name)."""


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
