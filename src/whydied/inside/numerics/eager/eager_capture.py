"""Writes a bad eager step into the run's directory; runs in the user's process, once or a few times.

Invariant: it is called before the update, so the weights are those of the step's start. What the forward pass
has already changed is taken from the listed step, or counted back, or said to be missing. Our own ops are seen by no
tape and no callback of the program's.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from types import FrameType
from typing import Any, NamedTuple

from whydied.inside import journal
from whydied.inside.guest import guard
from whydied.inside.model import open_calls
from whydied.inside.numerics import hidden_ops
from whydied.inside.numerics.eager.eager_steps import Loop
from whydied.inside.numerics.eager.expressions import as_array
from whydied.inside.numerics.eager.finiteness import dense, is_finite, norm
from whydied.inside.numerics.eager.graph_def import graph_of, lines_of
from whydied.inside.numerics.eager.named_tensors import MISSING, found_again
from whydied.inside.numerics.eager.op_log import quiet
from whydied.inside.numerics.eager.step_program import Given, Program, Written
from whydied.inside.numerics.step_file import CaptureDirectory, numbers_of, open_capture, options, versions
from whydied.records import Capture, FedValue, StateValue, StepCaptured, Suspect

LARGEST_SUSPECTS = 32


class Change(NamedTuple):
    """A tensor of an update: `role` is "gradient" or "update"; `handle` is that of its variable. Or one that the
    program reads: `role` is "result", and there is no variable."""

    role: str
    name: str
    tensor: Any
    handle: Any

    @property
    def key(self) -> int:
        return int(self.handle._id) if self.handle is not None else -1


class Scene(NamedTuple):
    """A bad step: its loop, all tensors of its update, the loss, the optimizer where there is one, the variables
    that the step has already updated and those that it trains, by the numbers of their handles. `exact` says that the
    ops of this very step were listed."""

    loop: Loop
    updates: list[Change]
    loss: Any
    optimizer: Any
    frame: FrameType
    done: frozenset[int]
    trained: frozenset[int]
    exact: bool


def capture(scene: Scene, program: Program | None) -> None:
    """Write the step and tell of it; raises FloatingPointError where the program is to stop."""
    loop = scene.loop
    with quiet():
        suspects = _suspects(scene, program)
        directory = open_capture() if program is not None else None
        missing: list[str] = [] if program is not None else ["no step of this loop was traced op by op"]
        size = 0
        if directory is not None and program is not None:
            size, missing = _write(directory, program, scene, suspects)
        rate = _number(scene.optimizer, "learning_rate")
        weights = [norm(_read(change.handle)) for change in scene.updates]
    stop = "stop-on-nan" in options() and loop.step >= 0
    call = open_calls.running(scene.frame)
    journal.write(
        StepCaptured(
            directory=directory.name if directory is not None and size else "",
            kind="eager",
            suspects=suspects,
            function=loop.function,
            frames=journal.frames(scene.frame),
            step=loop.step if loop.step >= 0 else None,
            epoch=call.epoch if call is not None else None,
            call=call.number if call is not None else None,
            missing=missing,
            size_bytes=size,
            stopped=stop,
        )
    )
    loop.norms.tell("capture", weights, rate, _number(scene.optimizer, "dynamic_scale"))
    if stop:
        what = ", ".join(f"the {suspect.role} of {suspect.name}" for suspect in suspects[:3])
        raise guard.stop(f"whydied stopped the program at step {loop.step} of {loop.function}: {what} is not finite")


def capture_read(tensor: Any, name: str, program: Program | None, frame: FrameType) -> None:
    """Write what made a value that the program reads, outside of all loops; without it, that it was read."""
    change = Change("result", name, tensor, None)
    capture(Scene(Loop(frame), [change], None, None, frame, frozenset(), frozenset(), True), program)


def _suspects(scene: Scene, program: Program | None) -> list[Suspect]:
    targets = program.targets if program is not None else {}
    found = []
    loss = dense(scene.loss)
    if loss is not None and not is_finite(loss):
        found.append(("loss", "loss", 0, loss))
    found += [(one.role, one.name, one.key, one.tensor) for one in scene.updates if not is_finite(one.tensor)]
    return [
        Suspect(role=role, name=name, tensor=targets.get((role, key), ""), numbers=numbers_of(tensor._numpy()))
        for role, name, key, tensor in found[:LARGEST_SUSPECTS]
    ]


def _write(
    directory: CaptureDirectory, program: Program, scene: Scene, suspects: list[Suspect]
) -> tuple[int, list[str]]:
    """Returns the size and what is missing; no size where the step cannot be written as a graph."""
    from whydied.inside.numerics.graph_cleaning import strip
    from whydied.inside.numerics.variable_names import Names

    missing: list[str] = [] if program.complete else ["the step has more ops than are traced"]
    try:
        graph = graph_of(program)
        strip(graph)
    except ValueError as error:
        return 0, [*missing, f"the step could not be written as a graph: {error}"]
    if not directory.graph(graph):
        return 0, [*missing, "the graph of the step does not fit into the space left for captures"]
    directory.lines(lines_of(program))
    known = Names()
    # Weights first: without them nothing can be run again.
    state = [_state(directory, variable, known.of(variable.handle()), scene, missing) for variable in program.variables]
    fed = _fed(directory, program, scene, missing)
    state += _slots(directory, scene)
    if not scene.exact:
        missing.append(
            f"the ops are those of step {program.step}: ops that only this step ran are missing",
        )
    written = Capture(
        kind="eager",
        suspects=suspects,
        function=scene.loop.function,
        fed=fed,
        state=state,
        targets=list(dict.fromkeys(program.targets.values())),
        missing=missing,
        versions=versions(),
        recorded_step=None if scene.exact else program.step,
    )
    return directory.finish(written), missing


def _state(directory: CaptureDirectory, variable: Written, known: Any, scene: Scene, missing: list[str]) -> StateValue:
    """`known` is what the living objects say of the variable, which a call of a function does not."""
    if known is not None and known.name and variable.number not in scene.trained:
        variable = variable._replace(name=known.name, layer=variable.layer or known.layer)
    role = "weight" if variable.number in scene.trained else _other_role(variable, known)
    now = _read(variable.handle())
    moment, value = "start", now
    if variable.number in scene.done:
        moment = "later"
        missing.append(f"{variable.name} had already been updated in this step")
    elif variable.changed:
        if scene.exact and variable.start is not None:
            value = variable.start
        elif variable.moved is not None and now is not None:
            value = (now.astype("int64") - variable.moved).astype(now.dtype)
        else:
            moment = "later"
            missing.append(f"the value that {variable.name} had at the start of the step: the step itself changed it")
    if value is None:
        missing.append(f"the value of {variable.name}")
        file, reason = None, "the variable could not be read"
    else:
        file, reason = directory.array(variable.node, value)
    return StateValue(
        node=variable.node,
        name=variable.name,
        role=role,
        shape=list(value.shape) if value is not None else [],
        dtype=str(value.dtype.name) if value is not None else "",
        moment=moment if file is not None else "missing",
        file=file,
        reason=reason,
        layer=variable.layer,
        numbers=numbers_of(value) if value is not None else None,
    )


def _other_role(variable: Written, known: Any) -> str:
    if known is not None and known.role != "other":
        return str(known.role)
    if variable.moved is not None or "seed" in variable.name:
        return "seed"
    return "statistic" if variable.layer else "other"


def _fed(directory: CaptureDirectory, program: Program, scene: Scene, missing: list[str]) -> list[FedValue]:
    values = [(given, *_value(given, scene)) for given in program.given if not given.constant]
    sizes = [value.shape for _, value, _ in values if value is not None and value.ndim]
    rows = max(sizes, key=math.prod)[0] if sizes else None
    from whydied.inside.numerics.data_set_rows import Finder

    finder = Finder()
    found = []
    for given, value, reason in values:
        name = given.place.text if given.place is not None else given.node
        if reason:
            missing.append(f"{name}: {reason}")
        if value is None:
            found.append(
                FedValue(
                    tensor=f"{given.node}:0", name=name, role="other", shape=list(given.shape),
                    dtype=given.dtype.name if given.dtype is not None else "", reason=reason,
                )
            )  # fmt: skip
            continue
        file, problem = directory.array(name, value)
        drawn = given.place is None and given.maker != "" and not given.maker.startswith("Iterator")
        # Rows of another step are not to be blamed.
        batch = bool(value.ndim) and value.shape[0] == rows and not drawn and not reason
        origin = finder.find(name, value) if batch else None
        found.append(
            FedValue(
                tensor=f"{given.node}:0",
                name=name,
                role="batch" if batch else "other",
                shape=list(value.shape),
                dtype=given.dtype.name,
                file=file,
                reason=problem or reason,
                rows=origin.rows if origin is not None else [],
                data_set=origin.data_set if origin is not None else "",
                numbers=numbers_of(value),
            )
        )
    return found


def _value(given: Given, scene: Scene) -> tuple[Any, str]:
    """The value of the present step, and a reason where it is another one or none."""
    if scene.exact:
        return given.value, "" if given.value is not None else given.why or "the value was too large to keep"
    if given.variables and given.value is not None:
        found = _nearest(given.value, [reference() for reference in given.variables])
        return found, "one of several variables of its shape, chosen by its value"
    if given.place is None:
        return given.value, given.why
    values = [_array(found_again(place, scene.frame), given.dtype) for place in (given.place, *given.rivals)]
    known = [value for value in values if value is not None]
    if known and all(_same(value, known[0]) for value in known[1:]):
        return known[0], ""
    if given.steady:
        return given.value, ""
    why = "its expressions differ in value" if known else f"{given.place.text} no longer holds it"
    return None, why


def _same(one: Any, other: Any) -> bool:
    return bool(one.shape == other.shape and one.tobytes() == other.tobytes())


def _array(value: Any, dtype: Any) -> Any:
    if hasattr(value, "_numpy"):
        return value._numpy()
    if value is MISSING or dtype is None:
        return None
    if type(value).__name__ == "ndarray":
        return value.astype(dtype.as_numpy_dtype)
    return as_array(value, dtype.as_numpy_dtype)


def _slots(directory: CaptureDirectory, scene: Scene) -> list[StateValue]:
    """The optimizer's own variables, of which the step up to the update needs none."""
    found = []
    weights = {change.key for change in scene.updates}
    variables = getattr(scene.optimizer, "variables", None) or []
    for variable in variables() if callable(variables) else variables:
        inner = getattr(variable, "_value", variable)
        handle = getattr(inner, "_handle", None)
        if handle is None or handle._id in weights:
            continue
        value = _read(handle)
        name = str(getattr(variable, "path", None) or getattr(inner, "name", "")).partition(":")[0]
        if value is None or value.nbytes > directory.room_bytes // 2:
            continue
        file, reason = directory.array(f"slot-{name}", value)
        found.append(
            StateValue(
                node="", name=name, role="slot", shape=list(value.shape), dtype=str(value.dtype.name),
                file=file, reason=reason, numbers=numbers_of(value),
            )
        )  # fmt: skip
    return found


@guard.otherwise(None)
def _number(optimizer: Any, name: str) -> float | None:
    """A setting of an optimizer; None where it has none that is a number."""
    value = getattr(optimizer, name, None)
    return float(value) if value is not None else None


def _read(handle: Any) -> Any:
    """The present value of a variable; None where it cannot be had."""
    form = hidden_ops.form_of(handle)
    if form is None:
        return None
    reading: Any = sys.modules["tensorflow.python.ops.gen_resource_variable_ops"]
    return reading.read_variable_op(handle, form.dtype)._numpy()


def _nearest(value: Any, handles: Iterable[Any]) -> Any:
    """The present value of the variable that is nearest to an earlier one; None where there is none."""
    import numpy

    found = [one for one in map(_read, handles) if one is not None and one.shape == value.shape]
    with numpy.errstate(all="ignore"):
        return min(found, key=lambda one: float(numpy.abs(one - value).sum()), default=None)
