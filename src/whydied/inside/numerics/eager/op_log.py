"""The list of the eager ops of a step, kept while it is switched on, and where in the program each runs: the user's
lines, the layer, and for an op of the backward pass the op that it differentiates; runs in the user's process.

Invariant: TensorFlow's callbacks of ops are per thread, and so is a list. Ours changes no output, and those of the
program's own stay in place. Tensors are noted by their numbers. The ones that no listed op made, and the outputs of ops
that could not be run again, are kept alive until the list is cleared, up to `LARGEST_HELD_BYTES`; the rest, variables
and functions above all, is there as long as the program has it. No frame is kept but those of a running update, until
the next op outside of it; of a library's frame only the names that are needed are read. A list that is left on is
cleared after a while (`eager_steps.let_go`).
"""

from __future__ import annotations

import math
import os
import sys
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any, NamedTuple

from whydied.inside import journal
from whydied.inside.guest import frameless, guard
from whydied.inside.guest.frame_variables import of_library
from whydied.inside.guest.user_frames import LARGEST_USER_FRAMES, LARGEST_WALK, Line
from whydied.inside.model import layer_lines
from whydied.inside.model.layer_lines import Origin
from whydied.inside.numerics import hidden_ops

LARGEST_OPS = 20_000
LARGEST_LOOSE_OPS = 2_000
"""Of a list that belongs to no loop: it ends there."""
LARGEST_LOOSE_GRAPH_OPS = 10_000
"""Ops of graphs that are made meanwhile."""
LARGEST_LOOSE_BYTES = 2 << 20
LONGEST_LOOSE_S = 0.06
"""Of this thread's time on a processor."""
LARGEST_HELD_BYTES = 16 << 20
"""Half of it for values above `SMALL_BYTES`: small ones are constants that a program cannot do without."""
SMALL_BYTES = 64 << 10
_UNREPEATABLE = frozenset({"PyFunc", "EagerPyFunc", "PyFuncStateless", "IteratorGetNext", "IteratorGetNextSync"})


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


class Entry(NamedTuple):
    """An op that ran. `inputs` and `outputs` are numbers of tensors, `types` the dtypes of the outputs; `opaque` says
    that its outputs are to be taken as given."""

    position: int
    kind: str
    attributes: tuple[Any, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    types: tuple[Any, ...]
    around: Surroundings
    opaque: bool


class OpLog:
    """The ops of one thread, from `start` to `stop`. `made` has the entry and the place among its outputs of each
    tensor, `leaves` the shapes of the tensors that were there before, `handles` those of variables, `variables` their
    objects by the number of the handle, `functions` the called ones by name, all three without keeping them alive, and
    `written` which of their arguments they change."""

    def __init__(self) -> None:
        self.on = False
        self.used_s = 0.0
        """When the last op was listed."""
        self.loose = False
        """Whether the list belongs to no loop, and ends by itself."""
        self._room = LARGEST_HELD_BYTES
        self._graph_ops = 0
        self._taken_s = 0.0
        self._called = False
        self._walker = Walker()
        self._stateful: dict[str, bool] = {}
        self.clear()

    def clear(self) -> None:
        self.entries: list[Entry] = []
        self.made: dict[int, tuple[Entry, int]] = {}
        self.leaves: dict[int, tuple[int, ...]] = {}
        self._held: dict[int, Any] = {}
        self._weak: dict[int, weakref.ref[Any]] = {}
        self.handles: dict[int, weakref.ref[Any]] = {}
        self.variables: dict[int, list[weakref.ref[Any]]] = {}
        self.functions: dict[str, weakref.ref[Any]] = {}
        self.written: dict[str, frozenset[int]] = {}
        self.lost = False
        """Whether ops are missing from the list, because there were too many."""
        self._held_bytes = 0
        self._walker.updates = []

    def start(self) -> bool:
        """False where this TensorFlow has no callbacks of ops."""
        if self.on:
            return True
        callbacks: Any = sys.modules.get("tensorflow.python.framework.op_callbacks")
        if callbacks is None or not hasattr(callbacks, "add_op_callback"):
            guard.limited("ops of eager steps", "this TensorFlow has no callbacks of ops")
            return False
        self.clear()
        callbacks.add_op_callback(self._seen)
        self.on = self._called = True
        self.loose, self._room = False, LARGEST_HELD_BYTES
        self.used_s = time.monotonic()
        return True

    def start_loosely(self) -> None:
        """List what belongs to no loop. TensorFlow's own way to add a callback would set up its devices, which the
        program may not have configured yet."""
        context: Any = sys.modules.get("tensorflow.python.eager.context")
        execute: Any = sys.modules.get("tensorflow.python.eager.execute")
        if self.on or self._called or context is None or not hasattr(execute, "execute_with_callbacks"):
            return
        self.clear()
        context.context().add_op_callback(self._seen)
        execute.execute = execute.execute_with_callbacks
        self.on = self._called = self.loose = True
        self._room, self._graph_ops, self._taken_s = LARGEST_LOOSE_BYTES, 0, 0.0
        self.used_s = time.monotonic()

    def _end_loosely(self) -> None:
        """TensorFlow is going through the callbacks: with others among them, ours stays and does nothing."""
        self.on = False
        self.clear()
        context: Any = sys.modules["tensorflow.python.eager.context"]
        if len(context.context().op_callbacks) == 1:
            self.stop()

    def stop(self) -> None:
        self.on = False
        if not self._called:
            return
        self._called = False
        callbacks: Any = sys.modules["tensorflow.python.framework.op_callbacks"]
        try:
            callbacks.remove_op_callback(self._seen)
        except KeyError:
            # The program has cleared all callbacks.
            pass

    def let_go(self) -> None:
        """Stop from another thread: the callback stays until this one calls `stop`, and does nothing."""
        self.on = False
        self.clear()

    def update_begins(self, frame: FrameType) -> None:
        """What an optimizer does from here on is not listed."""
        self._walker.update_begins(frame)

    def _seen(
        self, kind: Any, inputs: Any, attributes: Any, outputs: Any, op_name: Any = None, graph: Any = None
    ) -> Any:
        """TensorFlow hands what one callback answers for a graph to the next one, and None would be no outputs. Of a
        graph op it is a list that TensorFlow goes on to change, as it does with its own."""
        if graph is None and self.on:
            try:
                if self.loose:
                    self._note_loosely(kind, inputs, attributes, outputs)
                else:
                    self._note(kind, inputs, attributes, outputs)
            except Exception as error:
                if guard.is_the_users(error):
                    raise
                guard.swallowed("eager.note", error)
                self.lost = True
            except BaseException as error:
                frameless.clean_raise(error)
                raise
        elif self.loose and self.on:
            self._graph_ops += 1
            if self._graph_ops > LARGEST_LOOSE_GRAPH_OPS:
                self._end_loosely()
        return outputs if graph is None else list(outputs)

    def _note_loosely(self, kind: Any, inputs: Any, attributes: Any, outputs: Any) -> None:
        began = time.thread_time()
        if self._taken_s > LONGEST_LOOSE_S or len(self.entries) >= LARGEST_LOOSE_OPS:
            self._end_loosely()
            return
        self._note(kind, inputs, attributes, outputs)
        self._taken_s += time.thread_time() - began

    def _note(self, kind: Any, inputs: Any, attributes: Any, outputs: Any) -> None:
        self.used_s = time.monotonic()
        if len(self.entries) >= LARGEST_OPS:
            self.lost = True
            return
        around = self._walker.walk(sys._getframe(3 if self.loose else 2))
        if around is None:
            return
        name = kind.decode() if isinstance(kind, bytes) else str(kind)
        made = tuple(outputs or ())
        foreign = self._inputs(inputs, around)
        resources = ("resource", "variant")
        opaque = (
            foreign
            or name in _UNREPEATABLE
            or (self._is_stateful(name) and not any(tensor.dtype in resources for tensor in inputs))
        )
        entry = Entry(
            len(self.entries),
            name,
            attributes,
            tuple([tensor._id for tensor in inputs]),
            tuple([tensor._id for tensor in made]),
            tuple([tensor.dtype for tensor in made]),
            around._replace(objects=()),
            opaque,
        )
        self.entries.append(entry)
        for slot, tensor in enumerate(made):
            self.made[tensor._id] = (entry, slot)
            if opaque and tensor.dtype not in ("resource", "variant"):
                self._hold(tensor)
        if name == "ReadVariableOp" and size_of(made[0]) <= SMALL_BYTES:
            self._hold(made[0])
        if name not in self.functions and around.objects:
            self._function(name, around.objects)

    def _inputs(self, inputs: Any, around: Surroundings) -> bool:
        """Note what an op is given that no listed op made. Answers whether some of it cannot be written to a file."""
        foreign = False
        for tensor in inputs:
            number = tensor._id
            if tensor.dtype == "resource":
                foreign = foreign or not self._handle(tensor, around)
            elif number in self.made:
                continue
            elif tensor.dtype == "variant":
                foreign = True
            if number not in self.leaves:
                self.leaves[number] = tuple(tensor._shape_tuple())
                self._hold(tensor)
        return foreign

    def _handle(self, tensor: Any, around: Surroundings) -> bool:
        """Whether a resource is a variable; the object is noted, and the handle itself."""
        if tensor._id not in self.variables:
            if hidden_ops.form_of(tensor) is None:
                return False
            self.handles[tensor._id] = weakref.ref(tensor)
            found = _variable(tensor, around.objects)
            if found:
                self.variables[tensor._id] = [weakref.ref(thing) for thing in found]
        return True

    def tensor(self, number: int) -> Any:
        """A leaf, an output of an opaque op, or what was read of a small variable; None where it is gone."""
        found = self._held.get(number)
        reference = self._weak.get(number) if found is None else None
        return reference() if reference is not None else found

    def _hold(self, tensor: Any) -> None:
        """A handle is small, and would keep the whole of its variable."""
        size = size_of(tensor)
        if tensor.dtype != "resource" and self._held_bytes + size <= (
            self._room if size <= SMALL_BYTES else self._room // 2
        ):
            self._held_bytes += size
            self._held[tensor._id] = tensor
        else:
            self._weak[tensor._id] = weakref.ref(tensor)

    def _function(self, name: str, objects: tuple[Any, ...]) -> None:
        for thing in objects:
            own = getattr(thing, "name", None)
            if own == name.encode() or own == name:
                self.functions[name] = weakref.ref(thing)
                return

    def _is_stateful(self, kind: str) -> bool:
        known = self._stateful.get(kind)
        if known is None:
            registry: Any = sys.modules.get("tensorflow.python.framework.op_def_registry")
            definition = registry.get(kind) if registry is not None else None
            known = self._stateful[kind] = bool(definition is not None and definition.is_stateful)
        return known


@contextmanager
def quiet() -> Iterator[None]:
    """While our own ops run: nobody's callbacks see them, and no tape records them."""
    context: Any = sys.modules["tensorflow.python.eager.context"]
    local = context.context()._thread_local_data
    kept, local.op_callbacks = local.op_callbacks, []
    try:
        with hidden_ops.module("eager.record").stop_recording():
            yield
    finally:
        local.op_callbacks = kept


def size_of(tensor: Any) -> int:
    try:
        return int(math.prod(tensor._shape_tuple()) * (tensor.dtype.size or 8))
    except (AttributeError, TypeError, ValueError):
        return 8


def _variable(handle: Any, objects: tuple[Any, ...]) -> list[Any]:
    """The variable that a handle belongs to, and the Keras variable around it."""
    found = [thing for thing in objects if getattr(thing, "_handle", None) is handle]
    if not found:
        return []
    return found[:1] + [thing for thing in objects if getattr(thing, "_value", None) is found[0]][:1]
