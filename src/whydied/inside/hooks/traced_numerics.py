"""Puts a watch for values that are not finite into traced training steps; runs in the user's process.

Invariant: it is done when a trace is complete, before TensorFlow makes a function of it. Functions that XLA
compiles, or that are traced inside of one, stay as they are: XLA cannot compile our part. With "no-numerics" among the
options nothing is hooked.
"""

from __future__ import annotations

import atexit
import os
import sys
from types import FrameType, ModuleType
from typing import TYPE_CHECKING, Any

from whydied.inside.guest import frameless, garbage_collection, guard
from whydied.inside.guest.frame_variables import of_library
from whydied.inside.guest.guard import guarded
from whydied.inside.guest.lookup import instance_dict
from whydied.inside.model import layer_lines
from whydied.inside.model.execution_mode import executing_eagerly
from whydied.inside.model.graph_ops import LARGEST_OPS
from whydied.inside.numerics import step_file
from whydied.inside.numerics.traced import gradients_seen

if TYPE_CHECKING:
    from whydied.inside.numerics.traced.finite_watch import Plan

LARGEST_TRACES = 500
_JIT = ("_XlaMustCompile", "_XlaCompile")
_OPTIMIZERS = {
    "keras.src.optimizers.base_optimizer": ("BaseOptimizer",),
    "keras.src.backend.tensorflow.optimizer": ("TFOptimizer",),
    **{
        f"{package}.src.optimizers.{module}": names
        for package in ("keras", "tf_keras")
        for module, names in (
            ("optimizer", ("_BaseOptimizer", "Optimizer")),
            ("legacy.optimizer_v2", ("OptimizerV2",)),
        )
    },
}
_METHODS = (
    "_backend_apply_gradients",
    "_backend_update_step",
    "_internal_apply_gradients",
    "_transform_unaggregated_gradients",
)
_EVALUATIONS = frozenset({"evaluate", "test_on_batch"})
_PREDICTIONS = frozenset({"predict", "predict_on_batch"})
_hooked: set[str] = set()
_traces = 0
_pid = 0


def hook_traces(module: ModuleType) -> None:
    """`tracing_compilation`, which knows all the others."""
    if "no-numerics" in step_file.options():
        return
    with guard.limits("numerics of traced steps"):
        frameless.before(module.transform, "apply_func_graph_transforms", _traced)
        frameless.before(module.func_graph_module, "func_graph_from_py_func", _tracing)
        from importlib import import_module

        frameless.before(import_module("tensorflow.python.eager.imperative_grad"), "imperative_grad", _differentiates)


def hook_saves(module: ModuleType) -> None:
    """`tensorflow.python.saved_model.save`."""
    if "no-numerics" in step_file.options():
        return
    from whydied.inside.numerics.traced import exported_graphs

    with guard.limits("exports of traced steps"):
        frameless.before(module, "_verify_ops", exported_graphs.saves)


def hook_calls(module: ModuleType) -> None:
    """`polymorphic_function`."""
    if "no-numerics" in step_file.options():
        return
    with guard.limits("norms of traced steps"):
        frameless.before_method(module.Function, "_call", _called)


@guarded("traced_numerics.tracing")
def _tracing(frame: FrameType) -> None:
    """A trace begins: the optimizers that were imported by now are the ones that it may use."""
    for name, kinds in _OPTIMIZERS.items():
        if name not in _hooked and name in sys.modules:
            _hooked.add(name)
            _hook_optimizers(sys.modules[name], kinds)


def _hook_optimizers(module: ModuleType, kinds: tuple[str, ...]) -> None:
    for kind in (getattr(module, name, None) for name in kinds):
        for method in _METHODS:
            if isinstance(kind, type) and method in kind.__dict__:
                frameless.before_method(kind, method, _applies)


@guarded("traced_numerics.applies")
def _applies(optimizer: Any, frame: FrameType) -> None:
    """An optimizer is about to apply gradients, which are in its own frame."""
    if executing_eagerly():
        return
    names = of_library(frame)
    pairs = names.get("grads_and_vars")
    if not isinstance(pairs, list):
        gradients, variables = names.get("grads"), names.get("trainable_variables")
        if not isinstance(gradients, (list, tuple)) or not isinstance(variables, (list, tuple)):
            return
        pairs = list(zip(gradients, variables, strict=False))
    later = frame.f_code.co_name == "_backend_apply_gradients"
    if later and getattr(optimizer, "clipvalue", None) is None:
        # Clipping by norm makes one bad gradient all bad: the ones before it tell more.
        return
    gradients_seen.gradients(optimizer, [pair for pair in pairs if len(pair) == 2], replaces=later)


@guarded("traced_numerics.differentiates")
def _differentiates(frame: FrameType) -> None:
    """A tape is about to differentiate; the frame is that of its method `gradient`."""
    if not executing_eagerly() and frame.f_code.co_name == "gradient":
        targets = of_library(frame).get("flat_targets")
        if isinstance(targets, (list, tuple)):
            gradients_seen.losses(targets)


@guarded("traced_numerics.traced")
def _traced(frame: FrameType) -> None:
    """A trace is complete; the frame is that of the function that makes a function of the graph."""
    global _traces
    names = of_library(frame)
    whole = names.get("traced_func_graph")
    graph = whole if whole is not None else names.get("func_graph")
    if graph is None:
        return
    if _compiled(frame):
        if _traces:
            from whydied.inside.numerics.traced import exported_graphs

            exported_graphs.plain_calls(graph)
        if whole is not None and not hasattr(graph.outer_graph, "outer_graph") and _worth(graph, True):
            _watch_from_outside(graph, frame)
        gradients_seen.forget(graph)
        return
    if _traces >= LARGEST_TRACES or not _worth(graph, whole is not None) or not _single():
        gradients_seen.forget(graph)
        return
    if _is_within(_EVALUATIONS, frame):
        gradients_seen.evaluation(graph)
    elif not hasattr(graph.outer_graph, "outer_graph") and _is_within(_PREDICTIONS, frame):
        gradients_seen.prediction(graph)
    with garbage_collection.held_off():
        if _instrument(graph, frame):
            _traces += 1
            if _traces == LARGEST_TRACES:
                guard.limited("numerics of traced steps", f"only the first {LARGEST_TRACES} traces are watched")


def _worth(graph: Any, whole: bool) -> bool:
    from whydied.inside.numerics.traced import finite_watch

    if finite_watch.plans_of(graph) or str(graph.name) == "initialize_variables":
        return False
    known = gradients_seen.of(graph)
    # A branch, a loop or a function of a data pipeline that trains says so; others only keep books.
    if not (known.gradients or known.losses or (whole and not str(graph.name).startswith("Dataset_"))):
        return any(finite_watch.is_compiled(op) for op in graph.get_operations())
    if len(graph.get_operations()) > LARGEST_OPS:
        guard.limited("numerics of traced steps", f"the graph of {graph.name} is too large to watch")
        return False
    return True


def _compiled(frame: FrameType | None) -> bool:
    """Whether a trace is for XLA, or inside of one that is."""
    while frame is not None:
        if frame.f_code.co_name == "_create_concrete_function":
            options = of_library(frame).get("tracing_options")
            attributes = getattr(options, "attributes", None) or {}
            if any(attributes.get(name) for name in _JIT):
                return True
        frame = frame.f_back
    return False


def _is_within(methods: frozenset[str], frame: FrameType | None) -> bool:
    """Whether a trace is for such a method of Keras, also one within `fit`."""
    while frame is not None:
        if frame.f_code.co_name in methods and "keras" in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False


def _single() -> bool:
    """Whether there is one replica, on this machine."""
    distribute: Any = sys.modules.get("tensorflow.python.distribute.distribute_lib")
    if distribute is None or not distribute.has_strategy():
        return True
    strategy = distribute.get_strategy()
    if strategy.num_replicas_in_sync > 1 or any(word in type(strategy).__name__ for word in ("Parameter", "TPU")):
        guard.limited("numerics of traced steps", f"steps of a {type(strategy).__name__} are not watched")
        return False
    return True


def _instrument(graph: Any, frame: FrameType) -> bool:
    from whydied.inside.numerics import hidden_ops
    from whydied.inside.numerics.traced import bad_step, finite_watch, traced_norms, variable_handles

    context = hidden_ops.module("eager.context")
    options = finite_watch.Options(
        stop="stop-on-nan" in step_file.options(),
        spread=any(device.device_type != "CPU" for device in context.context().list_logical_devices()),
    )
    try:
        plans = finite_watch.instrument(
            graph, finite_watch.Work(bad_step.ask, bad_step.dump), options, variable_handles.trainable(graph)
        )
    except hidden_ops.NotEager:
        return False
    for plan in plans:
        traced_norms.add(plan)
    if plans:
        _name(plans, graph, frame)
    return bool(plans)


def _watch_from_outside(graph: Any, frame: FrameType) -> None:
    from whydied.inside.numerics.traced import variable_handles, xla_between_calls

    with garbage_collection.held_off():
        step = xla_between_calls.watched(graph, gradients_seen.of(graph), variable_handles.trainable(graph))
        if step is not None:
            _name([step.plan], graph, frame)


def _name(plans: list[Plan], graph: Any, frame: FrameType) -> None:
    """Note, while the trace is there, which layers its ops belong to and what the program calls its variables."""
    from whydied.inside.numerics import variable_names, waiting_frames
    from whydied.inside.numerics.traced import bad_step, variable_handles

    scopes = {id(inner): dict(layer_lines.scopes_of(inner)) for inner in bad_step.graphs_of(graph).values()}
    called = variable_names.called(variable_handles.variables(graph), waiting_frames.user_frames(frame))
    for plan in plans:
        plan.scopes, plan.called = scopes, called
    _at_the_end()


def _at_the_end() -> None:
    global _pid
    if _pid == 0:
        atexit.register(_ended)
    _pid = os.getpid()


@guarded("traced_numerics.ended")
def _ended() -> None:
    from whydied.inside.numerics.traced import traced_norms, xla_between_calls

    if _pid == os.getpid():
        xla_between_calls.ended()
        traced_norms.write_all("end")


@guarded("traced_numerics.called")
def _called(function: Any, frame: FrameType) -> None:
    if _pid == 0 or not executing_eagerly():
        return
    from whydied.inside.numerics.traced import traced_norms, xla_between_calls

    traced_norms.called()
    if xla_between_calls.any_watched():
        own = instance_dict(function)
        if own.get("_jit_compile"):
            names = of_library(frame)
            xla_between_calls.called(str(own.get("_name", "")), (names.get("args"), names.get("kwds")))
