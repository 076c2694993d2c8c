"""Tapes, gradients and updates of steps that run eagerly; runs in the user's process.

Invariant: an update is looked at before it happens, by what TensorFlow's and Keras' own frames hold. Inside a
trace nothing is done. Only what reaches the variables counts: a loss that is not finite, and gradients that the program
mends or throws away, are no alarm.
"""

from __future__ import annotations

import atexit
import time
import weakref
from types import FrameType, ModuleType
from typing import Any

from whydied.inside.guest import frameless, guard
from whydied.inside.guest.frame_variables import of_library
from whydied.inside.guest.guard import guarded
from whydied.inside.hooks import read_numerics
from whydied.inside.model import layer_lines
from whydied.inside.model.execution_mode import executing_eagerly
from whydied.inside.numerics import hidden_ops
from whydied.inside.numerics.eager import eager_steps
from whydied.inside.numerics.eager.eager_capture import Change, Scene, capture
from whydied.inside.numerics.eager.eager_steps import Loop, Pending, Thread
from whydied.inside.numerics.eager.finiteness import Pace, dense, is_finite, is_on_host, square
from whydied.inside.numerics.eager.named_tensors import holdings
from whydied.inside.numerics.eager.step_program import Target
from whydied.inside.numerics.step_file import may_capture, options

# The ops that change a variable.
_ASSIGNMENTS = (
    "assign_sub_variable_op",
    "assign_add_variable_op",
    "assign_variable_op",
    "resource_scatter_sub",
    "resource_scatter_add",
)
_pace = Pace()
_ending = False


def hook_tapes(module: ModuleType) -> None:
    """`tensorflow.python.eager.backprop`."""
    if "no-numerics" in options():
        return
    with guard.limits("numerics of eager steps"):
        frameless.before_method(module.GradientTape, "_push_tape", _opened)
        frameless.before(module.imperative_grad, "imperative_grad", _differentiates)
    read_numerics.begin_list()


def hook_assignments(module: ModuleType) -> None:
    """`tensorflow.python.ops.gen_resource_variable_ops`."""
    if "no-numerics" in options():
        return
    for name in _ASSIGNMENTS:
        with guard.limits("numerics of the program's own updates"):
            frameless.before(module, name, _assigns)


@guarded("eager_numerics.opened")
def _opened(tape: Any, frame: FrameType) -> None:
    """A tape is opened; `frame` is that of its own `__enter__`."""
    caller = frame.f_back
    if caller is not None and frame.f_code.co_name == "__enter__" and executing_eagerly():
        eager_steps.current().tape_opened(caller)


@guarded("eager_numerics.differentiates")
def _differentiates(frame: FrameType) -> None:
    """`frame` is that of a tape's `gradient`."""
    if not executing_eagerly():
        return
    names = of_library(frame)
    targets, sources = names.get("flat_targets"), names.get("flat_sources")
    if not isinstance(targets, list) or not isinstance(sources, list):
        return
    thread = eager_steps.current()
    thread.losses = tuple([tensor._id for tensor in targets if hasattr(tensor, "_numpy")])
    ids = frozenset([tensor._id for tensor in sources if tensor is not None])
    if ids != thread.sources:
        thread.sources, thread.source_shapes = ids, frozenset(_shape(tensor) for tensor in sources)
        thread.source_handles = [
            weakref.ref(tensor) for tensor in sources if getattr(tensor, "dtype", "") == "resource"
        ]
    first: Any = targets[0] if targets else None
    thread.loss = first if hasattr(first, "_numpy") and not first._shape_tuple() else None
    thread.manual = True


@guarded("eager_numerics.applies")
def applies(optimizer: Any, frame: FrameType) -> None:
    """An optimizer is about to update; `frame` is that of its own method, which has gradients and variables."""
    if not executing_eagerly():
        return
    if frame.f_code.co_name == "__getattribute__" and frame.f_back is not None:
        # Keras 2's first optimizers look attributes up themselves.
        frame = frame.f_back
    names = of_library(frame)
    pairs = names.get("grads_and_vars")
    if pairs is None and "grads" in names:
        pairs = list(zip(names["grads"], names.get("trainable_variables") or (), strict=False))
    pairs = [pair for pair in pairs if pair[0] is not None] if isinstance(pairs, (list, tuple)) else []
    tensors = [dense(gradient) for gradient, _ in pairs]
    if not tensors or None in tensors:
        return
    thread = eager_steps.current()
    thread.manual = False
    if thread.pending is not None:
        thread.end_assignments()
    caller = frame.f_back
    if caller is not None and caller.f_code.co_name == "apply_gradients":
        caller = caller.f_back
    if caller is None:
        return
    loop = thread.loop(id(optimizer), caller, caller.f_lasti)
    if loop is None:
        return
    _begin_step(loop)
    squares = _squares(tensors)
    if squares is None:
        return
    suspected = any(value - value != 0.0 for value in squares)
    if not loop.norms.names or len(loop.norms.names) != len(squares):
        loop.norms.names = [_name(variable) for _, variable in pairs]
        loop.keys = frozenset(handle._id for _, variable in pairs if (handle := _handle(variable)) is not None)
        loop.norms.optimizer_made = layer_lines.optimizers.frame(optimizer)
    loop.norms.add(loop.step, squares, thread.loss)
    done = frozenset[int]().union(*(other.keys for other in thread.applied))
    thread.applied.append(loop)
    if not suspected and not thread.log.on:
        thread.recovered(loop)
        if not loop.step:
            thread.list_next(loop)
        return
    changes = [
        Change("gradient", _name(variable), tensor, _handle(variable))
        for tensor, (_, variable) in zip(tensors, pairs, strict=True)
    ]
    if suspected:
        _look(thread, loop, changes, optimizer, caller, done)
    if thread.log.on:
        thread.updated(loop, _targets(changes), _names(changes), caller)
        if thread.log.on:
            # Only then will an op follow that lets the frames go.
            thread.log.update_begins(frame)


@guarded("eager_numerics.assigns")
def _assigns(frame: FrameType) -> None:
    """A variable is about to be changed; `frame` is that of the variable's method."""
    thread = eager_steps.current()
    if not (thread.manual or thread.pending is not None) or not executing_eagerly():
        return
    names = of_library(frame)
    variable = names.get("self")
    value = next((names[name] for name in ("value_tensor", "delta", "sparse_delta") if name in names), None)
    handle, tensor = getattr(variable, "_handle", None), dense(value)
    if handle is None or tensor is None or not _is_trained(thread, handle, tensor):
        return
    caller = frame.f_back
    while caller is not None and caller.f_code.co_filename == frame.f_code.co_filename:
        caller = caller.f_back
    if caller is None:
        return
    pending = thread.pending
    if thread.manual or pending is None:
        loop = thread.loop(0, caller, 0)
        if loop is None:
            return
        thread.manual = False
        _begin_step(loop)
        listed = thread.log.on
        pending = thread.pending = Pending(
            loop,
            holdings(caller) if listed else [],
            thread.offers(loop, caller) if listed else {},
        )
        loop.norms.add(loop.step, pending.squares, thread.loss)
    _assignment(thread, pending, variable, tensor, caller)


def _assignment(thread: Thread, pending: Pending, variable: Any, tensor: Any, caller: FrameType) -> None:
    found = _squares([tensor])
    if found is None:
        return
    loop, key = pending.loop, variable._handle._id
    names = loop.norms.names
    if len(pending.squares) >= len(names):
        names.append(_own_name(variable, caller))
    name = names[len(pending.squares)]
    pending.squares.append(found[0])
    suspected = found[0] - found[0] != 0.0
    if suspected or thread.log.on:
        change = Change("update", name, tensor, variable._handle)
        pending.targets += _targets([change])
        pending.names[key] = name
    if suspected:
        loop.gathers = key not in thread.sources
        _look(thread, loop, [change], None, caller, frozenset(pending.done), pending)
    elif thread.bad is not None and not pending.done:
        loop.gathers = key not in thread.sources
        thread.recovered(loop)
    pending.done.add(key)


def _begin_step(loop: Loop) -> None:
    global _ending
    loop.step += 1
    if not _ending:
        _ending = True
        atexit.register(_end)


@guarded("eager_numerics.end")
def _end() -> None:
    for loop in eager_steps.everything():
        loop.norms.tell("end")


def _look(
    thread: Thread,
    loop: Loop,
    changes: list[Change],
    optimizer: Any,
    frame: FrameType,
    done: frozenset[int],
    pending: Pending | None = None,
) -> None:
    """Squares that are not finite: look exactly, and capture the first of a row of bad steps."""
    if all(is_finite(change.tensor) for change in changes):
        thread.recovered(loop)
        return
    if thread.bad is not None or not may_capture():
        return
    thread.bad = loop
    targets = pending.targets if pending is not None else _targets(changes)
    names = pending.names if pending is not None else _names(changes)
    program = thread.program(loop, targets, names, frame)
    trained = thread.sources | {change.key for change in changes}
    capture(Scene(loop, changes, thread.loss, optimizer, frame, done, trained, thread.log.on), program)


def _squares(tensors: list[Any]) -> list[float] | None:
    """None where the tensors are on a device and it is too early to copy them again."""
    if is_on_host(tensors[0]):
        return [square(tensor) for tensor in tensors]
    if not _pace.allows():
        return None
    began = time.perf_counter()
    try:
        return [square(tensor) for tensor in tensors]
    finally:
        _pace.took(began)


def _is_trained(thread: Thread, handle: Any, tensor: Any) -> bool:
    """A variable that gradients were computed for, or one that gathers them: it has the shape of one that is not a
    single number. Metrics and statistics of the program's own are not."""
    if handle._id in thread.sources:
        return True
    shape = tensor._shape_tuple()
    return bool(shape) and max(shape) > 1 and tensor.dtype.is_floating and shape in thread.source_shapes


def _targets(changes: list[Change]) -> list[Target]:
    return [Target(change.role, change.key, change.tensor._id) for change in changes]


def _names(changes: list[Change]) -> dict[int, str]:
    return {change.key: change.name for change in changes}


def _name(variable: Any) -> str:
    """As the user knows it."""
    path = getattr(variable, "path", None)
    return path if isinstance(path, str) else str(getattr(variable, "name", "")).partition(":")[0]


def _handle(variable: Any) -> Any:
    return getattr(getattr(variable, "_value", variable), "_handle", None)


def _own_name(variable: Any, frame: FrameType) -> str:
    """Of a variable that the program made without a name, what the program calls it."""
    name = _name(variable)
    if name and name != "Variable":
        return name
    places = [place for place, value in holdings(frame) if value is variable and place.user]
    # Of several names the outermost: the variable of a loop is called the same for all.
    return next((place.text for place in places if place.code is places[-1].code), name)


def _shape(source: Any) -> tuple[int, ...]:
    form = hidden_ops.form_of(source)
    return tuple(int(dim.size) for dim in form.shape.dim) if form is not None else ()
