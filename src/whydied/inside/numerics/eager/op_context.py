"""Where in the program an eager op runs: the user's lines, the layer, and for an op of the backward pass the op that it
differentiates; runs in the user's process, for each op of a listed step.

Invariant: no frame is kept but those of a running update, until the next op outside of it. Of a library's frame
only the names that are needed are read.
"""

from __future__ import annotations

import os
from types import CodeType, FrameType
from typing import Any, NamedTuple

from whydied.inside import journal
from whydied.inside.guest.frame_variables import of_library
from whydied.inside.guest.user_frames import LARGEST_USER_FRAMES, LARGEST_WALK, Line
from whydied.inside.model import layer_lines
from whydied.inside.model.layer_lines import Origin

_LARGEST_CODES = 20_000
_PLAIN, _USER, _LAYER, _DIFFERENTIATES, _BACKWARD, _UPDATES, _FUNCTION, _VARIABLE = range(8)
# By the end of the file's name and the name of the function.
_KNOWN = {
    ("keras/src/layers/layer.py", "__call__"): _LAYER,
    ("keras/src/engine/base_layer.py", "__call__"): _LAYER,
    ("python/eager/backprop.py", "_gradient_function"): _DIFFERENTIATES,
    ("python/eager/imperative_grad.py", "imperative_grad"): _BACKWARD,
    ("keras/src/optimizers/base_optimizer.py", "apply"): _UPDATES,
    ("keras/src/optimizers/loss_scale_optimizer.py", "apply"): _UPDATES,
    ("keras/src/optimizers/optimizer.py", "apply_gradients"): _UPDATES,
    ("keras/src/optimizers/legacy/optimizer_v2.py", "apply_gradients"): _UPDATES,
    ("keras/src/mixed_precision/loss_scale_optimizer.py", "apply_gradients"): _UPDATES,
}
_ENDS = tuple({end for end, _ in _KNOWN})
_VARIABLES = ("python/ops/resource_variable_ops.py", "keras/src/backend/common/variables.py")
_FUNCTIONS = "python/eager/polymorphic_function/atomic_function.py"


class Differentiated(NamedTuple):
    """The op that an op of the backward pass belongs to, as far as the tape has kept it: numbers of tensors."""

    kind: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    gradients: tuple[int, ...]


class Surroundings(NamedTuple):
    """Of an op. `objects` are the variables and the functions whose methods are under way."""

    lines: tuple[Line, ...]
    layer: Origin | None
    backward: bool
    differentiated: Differentiated | None
    objects: tuple[Any, ...]


class Walker:
    """Walks stacks; what is known of a code object is looked up once. `updates` are frames of optimizers whose update
    has begun, for as long as they may be running: what runs in them is not part of a step."""

    def __init__(self) -> None:
        self.updates: list[FrameType] = []
        # By the address of the code, which is kept: to hash a code is slow.
        self._kinds: dict[int, tuple[int, str, CodeType]] = {}

    def update_begins(self, frame: FrameType | None) -> None:
        """The optimizers that run this frame begin to update variables."""
        self.updates = []
        for _ in range(LARGEST_WALK):
            if frame is None:
                return
            if self._kind(frame) == _UPDATES:
                self.updates.append(frame)
            frame = frame.f_back

    def walk(self, frame: FrameType | None) -> Surroundings | None:
        """None for an op of an update."""
        lines: list[Line] = []
        objects: list[Any] = []
        layer: Origin | None = None
        backward = False
        differentiated: Differentiated | None = None
        steps = 0
        while frame is not None and steps < LARGEST_WALK and len(lines) < LARGEST_USER_FRAMES:
            kind = self._kind(frame)
            if kind == _USER:
                lines.append((self._kinds[id(frame.f_code)][1], frame.f_lineno or 0, frame.f_code.co_name))
            elif kind == _LAYER and layer is None:
                layer = layer_lines.origin(of_library(frame).get("self"))
            elif kind == _DIFFERENTIATES and differentiated is None:
                differentiated = _differentiated(of_library(frame))
            elif kind == _BACKWARD:
                backward = True
            elif kind == _UPDATES and any(frame is update for update in self.updates):
                return None
            elif kind in (_FUNCTION, _VARIABLE):
                objects.append(of_library(frame).get("self"))
            frame = frame.f_back
            steps += 1
        self.updates = []
        lines.reverse()
        return Surroundings(tuple(lines), layer, backward, differentiated, tuple(objects))

    def _kind(self, frame: FrameType) -> int:
        known = self._kinds.get(id(frame.f_code))
        return self._judge(frame) if known is None else known[0]

    def _judge(self, frame: FrameType) -> int:
        code = frame.f_code
        if len(self._kinds) >= _LARGEST_CODES:
            self._kinds.clear()
        owner = journal.current()
        kind = _of_library(code)
        file = owner.ownership.user_file(frame) if owner is not None and kind == _PLAIN else None
        if file is not None:
            kind = _USER
        self._kinds[id(code)] = (kind, file or "", code)
        return kind


def _of_library(code: CodeType) -> int:
    name = code.co_filename.replace(os.sep, "/")
    if name.endswith(_ENDS):
        for (end, function), kind in _KNOWN.items():
            if code.co_name == function and name.endswith(end):
                return kind
    first = code.co_varnames[:1] if code.co_argcount else ()
    if first == ("self",):
        if name.endswith(_VARIABLES):
            return _VARIABLE
        if name.endswith(_FUNCTIONS):
            return _FUNCTION
    return _PLAIN


def _differentiated(names: dict[str, Any]) -> Differentiated:
    kind = names.get("op_name")
    return Differentiated(
        kind.decode() if isinstance(kind, bytes) else str(kind),
        _ids(names.get("inputs")),
        _ids(names.get("outputs")),
        _ids(names.get("out_grads")),
    )


def _ids(tensors: Any) -> tuple[int, ...]:
    if not isinstance(tensors, (list, tuple)):
        return ()
    found = (getattr(tensor, "_id", None) for tensor in tensors)
    return tuple(number for number in found if isinstance(number, int))
