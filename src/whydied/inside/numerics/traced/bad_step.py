"""Writes the step that went wrong; runs in the user's process, in the thread of TensorFlow that runs the step.

Invariant: the program's own threads wait for the step meanwhile, so that its frames stand still. No error of
ours leaves (`guarded`), and the step goes on as it would. Names of what the step was given are those of the function's
arguments; in a step of Keras they are x, y and sample_weight.
"""

from __future__ import annotations

import math
import re
import weakref
from typing import Any, NamedTuple

from whydied.inside import journal
from whydied.inside.guest import garbage_collection
from whydied.inside.guest.frame_variables import variables
from whydied.inside.guest.guard import guarded
from whydied.inside.model import graph_ops, open_calls
from whydied.inside.model.layer_lines import LineMaker
from whydied.inside.numerics import data_set_rows, graph_cleaning, hidden_ops, step_file, waiting_frames
from whydied.inside.numerics.traced import time_first, traced_norms, variable_handles, variable_writes
from whydied.inside.numerics.traced.finite_watch import Plan
from whydied.inside.numerics.variable_names import Name, Names
from whydied.records import Capture, FedValue, Lines, StateValue, StepCaptured, Suspect

_ORDER = {"loss": 0, "gradient": 1, "update": 2, "weight": 2, "result": 2, "statistic": 3, "metric": 4}
_SECONDARY = frozenset({"metric", "statistic"})
_CHANGES_NOTHING = _SECONDARY | {"result"}
_KERAS_STEPS = frozenset(
    {
        *(
            "one_step_on_data",
            "train_step",
            "step_function",
            "run_step",
            "train_function",
            "test_step",
            "test_function",
        ),
        *("one_step_on_data_distributed", "predict_function"),
    }
)
_GENERIC = re.compile(r"args_\d+|batch|arg\d*$|Placeholder")
"""Names that nobody gave: what the data set is called tells more."""
_PARTS = ("x", "y", "sample_weight")


class Values(NamedTuple):
    """What the check passed, in NumPy. `step` is None where it is not known which one it was."""

    step: int | None
    norms: Any
    fed: list[Any]
    items: list[Any]
    kept: list[Any]


@guarded("capture.ask")
def ask(plan: Plan, given: tuple[Any, ...]) -> bool:
    """Whether a step with a number that is not finite is worth a dump."""
    return not plan.muted.issuperset(_suspected(plan, given[1]))


@guarded("capture.dump")
def dump(plan: Plan, given: tuple[Any, ...]) -> str | None:
    """The step has a value that may not be finite. Returns the words with which to stop the program, if it is to."""
    values = _values(plan, given)
    suspected = _suspected(plan, values.norms)
    bad = sorted(number for number in suspected if not _finite(values, number))
    if not bad:
        # The squares overflowed and the values did not: not to be asked again until the next look at the norms.
        plan.muted |= suspected
        plan.overflows |= suspected
        return None
    if not step_file.may_capture():
        plan.muted = set(range(len(plan.items)))
        return None
    names = Names(plan.called)
    suspects = _suspects(plan, values, bad, names)
    primary = not plan.evaluates and any(suspect.role not in _CHANGES_NOTHING for suspect in suspects)
    plan.muted |= set(range(len(plan.items))) if primary else set(bad)
    if _follows(plan, marks=primary):
        return None
    with garbage_collection.held_off():
        return _capture(plan, values, suspects, names, primary)


def write(plan: Plan, values: Values, suspects: list[Suspect], names: Names) -> None:
    """Capture a step that was noticed in another way, after it ran."""
    if step_file.may_capture() and not _follows(plan):
        with garbage_collection.held_off():
            _capture(plan, values, suspects, names, primary=False)


_gone_bad: list[weakref.ref[Any]] = []
"""Handles of the variables of steps that were captured."""


def _follows(plan: Plan, marks: bool = True) -> bool:
    """Whether a step uses variables of one that went wrong before, so that its values are a consequence. Where it is
    not, it `marks` its own for those that come after it: not where only a metric is bad."""
    known = variable_handles.eager_handles(plan.graph).values()
    seen = {id(reference()) for reference in _gone_bad} - {id(None)}
    if any(id(handle) in seen for handle in known):
        return True
    if marks:
        _gone_bad.extend(weakref.ref(handle) for handle in known)
    return False


def _capture(plan: Plan, values: Values, suspects: list[Suspect], names: Names, primary: bool) -> str | None:
    directory = step_file.open_capture()
    if directory is None:
        return None
    known = variable_handles.eager_handles(plan.graph)
    missing: list[str] = []
    if plan.compiled:
        missing.append("The step is compiled by XLA: only its inputs and its results were seen.")
    graph_def = plan.graph.as_graph_def()
    graph_cleaning.strip(graph_def)
    if not directory.graph(graph_def):
        missing.append("The graph of the step was too large to keep.")
    directory.lines(_lines(plan))
    given = _fed(plan, values.fed, directory, missing, names)
    state = _state(plan, values, names, known, directory, missing)
    targets = _targets(plan, suspects)
    size = directory.finish(
        Capture(
            kind="traced",
            suspects=suspects,
            function=plan.function,
            fed=given,
            state=state,
            targets=targets,
            missing=missing,
            versions=step_file.versions(),
        )
    )
    stop = primary and "stop-on-nan" in step_file.options()
    _record(plan, values, suspects, directory.name, size, missing, stop)
    traced_norms.write(plan, "capture", names)
    return _words(plan, values.step, suspects) if stop else None


def _record(
    plan: Plan, values: Values, suspects: list[Suspect], name: str, size: int, missing: list[str], stop: bool
) -> None:
    frame = waiting_frames.waiting()
    call = open_calls.on_stack(frame)
    journal.write(
        StepCaptured(
            directory=name,
            kind="traced",
            suspects=suspects,
            function=plan.function,
            frames=waiting_frames.recorded(),
            step=values.step,
            epoch=call.epoch if call is not None else None,
            call=call.number if call is not None else None,
            missing=missing,
            size_bytes=size,
            late=_late(plan),
            stopped=stop,
        )
    )


def _late(plan: Plan) -> str:
    if not plan.calls_after:
        return ""
    return f"up to {plan.calls_after} calls later, of which the first that may have been bad was kept"


def _values(plan: Plan, given: tuple[Any, ...]) -> Values:
    rest = list(given[3:])
    count = len(plan.fed)
    items = len(plan.items) if plan.passed else 0
    fed = [time_first.turned_back(*pair) for pair in zip(rest[:count], plan.stand_ins, strict=True)]
    return Values(int(given[1]), given[2], fed, rest[count : count + items], rest[count + items :])


def _suspected(plan: Plan, numbers: Any) -> set[int]:
    """The items with a number that is not finite. Where only the sum of all overflowed, all."""
    found = {
        item
        for measure, number in zip(plan.measures, numbers, strict=True)
        if not math.isfinite(float(number))
        for item in measure.items
    }
    return found or set(range(len(plan.items)))


def _finite(values: Values, number: int) -> bool:
    """Whether a watched value is finite: exactly where it was passed on, else by its numbers."""
    import numpy

    if not values.items:
        return False
    array = values.items[number]
    if array.dtype.kind not in "fc" or array.dtype.itemsize < 4:
        array = array.astype(numpy.float32)
    return bool(numpy.isfinite(array).all())


def _suspects(plan: Plan, values: Values, bad: list[int], names: Names) -> list[Suspect]:
    known = variable_handles.eager_handles(plan.graph)
    return sorted(
        (_suspect(plan, values, number, names, known) for number in bad),
        key=lambda suspect: _ORDER.get(suspect.role, 9),
    )


def _suspect(plan: Plan, values: Values, number: int, names: Names, known: dict[int, Any]) -> Suspect:
    item = plan.items[number]
    name = traced_norms.name_of(item, names, known)
    role = item.role
    if role == "statistic" and name is not None and name.role != "statistic":
        # A sum of gradients that the program keeps itself.
        role = "metric" if name.role == "metric" else "update"
    called = name.name if name is not None else ""
    if role == "metric":
        # The metric, not the variable in which it counts.
        called = called.rpartition("/")[0] or called
        role = "loss" if plan.evaluates and called == "loss" else role
    return Suspect(
        role=role,
        name=called,
        tensor="" if graph_cleaning.is_ours(item.tensor.op.name) else item.tensor.name,
        numbers=step_file.numbers_of(values.items[number]) if values.items else None,
    )


def _targets(plan: Plan, suspects: list[Suspect]) -> list[str]:
    """The tensors of interest in the order of the step: metrics and statistics only where nothing else is bad."""
    bad = {suspect.tensor: suspect.role for suspect in suspects}
    alone = set(bad.values()) <= _SECONDARY
    found = []
    for item in sorted(plan.items, key=lambda item: _ORDER.get(item.role, 9)):
        name = item.tensor.name
        role = bad.get(name, item.role)
        if not graph_cleaning.is_ours(item.tensor.op.name) and (alone or plan.compiled or role not in _SECONDARY):
            found.append(name)
    return found


def _lines(plan: Plan) -> Lines:
    maker = LineMaker()
    return Lines(
        functions={
            name: maker.of_ops(
                (op for op in graph.get_operations() if not graph_cleaning.is_ours(op.name)), plan.scopes.get(id(graph))
            )
            for name, graph in graphs_of(plan.graph).items()
        }
    )


def graphs_of(graph: Any) -> dict[str, Any]:
    """A graph and those of the functions that it calls, by name; its own is ""."""
    found = {"": graph}
    waiting = [graph]
    while waiting:
        graph = waiting.pop()
        for op in graph.get_operations():
            for name in variable_writes.functions_of(op):
                inner = graph_ops.function_graph(name, graph) if name not in found else None
                if inner is not None:
                    found[name] = inner
                    waiting.append(inner)
    return found


def _state(
    plan: Plan,
    values: Values,
    names: Names,
    known: dict[int, Any],
    directory: step_file.CaptureDirectory,
    missing: list[str],
) -> list[StateValue]:
    kept = {id(handle): value for handle, value in zip(plan.kept, values.kept, strict=True)}
    moved = plan.moved | _ahead(plan, values.norms)
    found = []
    ahead = 0
    for tensor in plan.graph.inputs:
        if tensor.dtype != "resource":
            continue
        handle = known.get(id(tensor))
        facts = variable_handles.facts(handle) if handle is not None else None
        if facts is None:
            if _is_variable_argument(tensor):
                missing.append(f"The variable {tensor.op.name} was passed as an argument: its value is not known.")
            continue
        name = names.of(handle) or Name(tensor.op.name, "other")
        moment = "start" if id(tensor) in kept or id(tensor) not in moved else "later"
        value = kept[id(tensor)] if id(tensor) in kept else variable_handles.read(handle)
        numbers = step_file.numbers_of(value)
        if moment == "later" and numbers.nonfinite:
            file, reason = None, "the step had already written it"
        else:
            file, reason = directory.array(f"state-{name.name}", value)
        if file is None:
            moment = "missing"
            missing.append(f"{name.name} was not kept: {reason}.")
        elif moment == "later" and id(tensor) in plan.gated:
            ahead += 1
        elif moment == "later":
            missing.append(
                f"{name.name} has the value from when the problem was noticed, not from the start of the step."
            )
        found.append(
            StateValue(
                node=tensor.op.name,
                name=name.name,
                role=name.role if name.role != "other" or not name.trainable else "weight",
                shape=list(value.shape),
                dtype=facts[0],
                moment=moment,
                file=file,
                reason=reason,
                layer=name.layer,
                numbers=numbers if value.dtype.kind in "fV" else None,
            )
        )
    if ahead:
        missing.append(
            f"{ahead} variables with large gradients have the values from when the problem was noticed: "
            "finite gradients may have updated them."
        )
    return found


def _ahead(plan: Plan, norms: Any) -> set[int]:
    """The handles that a gradient of their own may have updated, because it and the losses are finite."""
    if not plan.gated:
        return set()
    bad = _suspected(plan, norms)
    return {handle for handle, number in plan.gated.items() if bad.isdisjoint(plan.guards[number])}


def _is_variable_argument(tensor: Any) -> bool:
    data = getattr(tensor, "_handle_data", None)
    return data is not None and bool(data.is_set)


def _words(plan: Plan, step: int | None, suspects: list[Suspect]) -> str:
    first = suspects[0]
    numbers = first.numbers
    what = "not finite" if numbers is None else ("NaN" if numbers.nan else "infinite")
    name = f" of {first.name}" if first.name else ""
    return (
        f"whydied: stopped by --stop-on-nan at step {step} of {plan.function}: the {first.role}{name} is {what}. "
        f"The weights are those of the step's {'end' if plan.compiled else 'start'}."
    )


def _fed(
    plan: Plan, arrays: list[Any], directory: step_file.CaptureDirectory, missing: list[str], known: Names
) -> list[FedValue]:
    captured = {id(inside): outside for outside, inside in plan.graph.captures}
    names = {**_argument_names(plan.graph), **_held_names(captured, known)}
    found = []
    finder = data_set_rows.Finder()
    for tensor, value in zip(plan.fed, arrays, strict=True):
        name = names.get(id(tensor), tensor.op.name)
        role = "other" if id(tensor) in captured or value.ndim == 0 else "batch"
        file, reason = directory.array(f"fed-{name}", value)
        if file is None:
            missing.append(f"{name} was not kept: {reason}.")
        rows = finder.find(name, value) if role == "batch" else None
        if rows is not None and _GENERIC.match(name):
            name = rows.data_set
        found.append(
            FedValue(
                tensor=tensor.name,
                name=name,
                role=role,
                shape=list(value.shape),
                dtype=tensor.dtype.base_dtype.name,
                file=file,
                reason=reason,
                rows=rows.rows if rows is not None else [],
                data_set=rows.data_set if rows is not None else "",
                numbers=step_file.numbers_of(value),
            )
        )
    return found


def _held_names(captured: dict[int, Any], known: Names) -> dict[int, str]:
    """What the program calls the tensors that the graph took from outside, by the id of those inside."""
    stack = [pair for frame in waiting_frames.user_frames() for pair in variables(frame)]
    mine = {id(value): name for name, value in reversed(stack) if type(value).__name__ == "EagerTensor"}
    named = {inside: known.of_tensor(outside) or mine.get(id(outside), "") for inside, outside in captured.items()}
    return {inside: name for inside, name in named.items() if name}


def _argument_names(graph: Any) -> dict[int, str]:
    """What the user calls the arguments, by the id of their tensors."""
    nest = hidden_ops.module("util.nest")
    specs = hidden_ops.module("framework.tensor").TensorSpec
    signature = getattr(graph, "structured_input_signature", None)
    captured = {id(inside) for _, inside in graph.captures}
    tensors = [tensor for tensor in graph.inputs if id(tensor) not in captured and tensor.dtype != "resource"]
    found: dict[int, str] = {}
    if signature is not None:
        flat = nest.flatten_with_tuple_paths(signature, expand_composites=True)
        paths = [path for path, spec in flat if isinstance(spec, specs) and spec.dtype != "resource"]
        if len(paths) == len(tensors):
            for tensor, path in zip(tensors, paths, strict=True):
                found[id(tensor)] = _argument_name(tensor, path[2:], str(graph.name))
    for op in graph.get_operations():
        if op.type.startswith("IteratorGetNext"):
            single = len(op.outputs) <= 1
            keras = str(graph.name) == "multi_step_on_iterator" and len(op.outputs) <= len(_PARTS)
            for number, tensor in enumerate(op.outputs):
                found[id(tensor)] = _PARTS[number] if keras else "batch" if single else f"batch[{number}]"
    return found


def _argument_name(tensor: Any, path: tuple[Any, ...], function: str) -> str:
    attributes = tensor.op.node_def.attr
    given = attributes["_user_specified_name"].s if "_user_specified_name" in attributes else b""
    name = given.decode("utf-8", "replace") or str(tensor.op.name)
    if function in _KERAS_STEPS and name in ("data", "iterator") and path:
        place = path[0]
        if isinstance(place, int) and place < len(_PARTS):
            name, path = _PARTS[place], path[1:]
    elif function in _KERAS_STEPS and name in ("data", "iterator"):
        name = "x"
    return name + "".join(f"[{part!r}]" for part in path if part != type(part).__name__)
