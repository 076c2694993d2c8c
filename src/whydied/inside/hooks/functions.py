"""Calls and traces of `tf.function`; runs in the user's process.

Invariant: calls are counted all and recorded at a bounded rate; inside a trace and inside a call into
Keras, which records its own steps, they are not counted.
"""

from __future__ import annotations

import sys
import time
import zlib
from types import FrameType, ModuleType
from typing import Any

from whydied.inside import journal
from whydied.inside.guest import frameless, guard
from whydied.inside.guest.frame_variables import of_library
from whydied.inside.guest.guard import guarded
from whydied.inside.guest.lookup import instance_dict
from whydied.inside.guest.pacing import Paced
from whydied.inside.hooks import inputs, traced_numerics
from whydied.inside.model import open_calls
from whydied.inside.model.execution_mode import executing_eagerly
from whydied.records import FunctionTraced, StepBegan

LARGEST_TRACES = 2000
_LONGEST_TYPE = 199
_LARGEST_SIGNATURE = 20
_calls = Paced(5_000_000)
_began: dict[int, float] = {}
_traces: dict[str, int] = {}
_written = 0


def hook_calls(module: ModuleType) -> None:
    inputs.hook_functions(module)
    traced_numerics.hook_calls(module)
    with guard.limits("calls of tf.function"):
        frameless.before_method(module.Function, "_call", _called)


def hook_traces(module: ModuleType) -> None:
    traced_numerics.hook_traces(module)
    with guard.limits("traces of tf.function"):
        frameless.before(module.func_graph_module, "func_graph_from_py_func", _tracing)
        frameless.before(module.transform, "call_concrete_function_callbacks", _traced)


@guarded("functions.called")
def _called(function: Any, frame: FrameType) -> None:
    if open_calls.running(frame) is not None or not executing_eagerly():
        return
    number = _calls.one_more()
    if number is not None:
        name = instance_dict(function).get("_name", "")
        journal.write(StepBegan(unit="function", count=number, name=name if isinstance(name, str) else ""))


@guarded("functions.tracing")
def _tracing(frame: FrameType) -> None:
    if frame.f_code.co_name == "_create_concrete_function":
        if len(_began) > 100:
            _began.clear()
        _began[id(frame)] = time.perf_counter()


@guarded("functions.traced")
def _traced(frame: FrameType) -> None:
    """A trace is complete; the frame is that of the function that made it."""
    global _written
    began = _began.pop(id(frame), None)
    names = of_library(frame)
    options = names.get("tracing_options")
    _written += 1
    if began is None or options is None or _written > LARGEST_TRACES:
        return
    file, line = _definition(options.python_function)
    name = str(options.name)
    key = f"{file}:{line}:{name}"
    _traces[key] = _traces.get(key, 0) + 1
    journal.write(
        FunctionTraced(
            name=name,
            traces=_traces[key],
            file=file,
            line=line,
            signature=_signature(names.get("function_type")),
            wall_s=round(time.perf_counter() - began, 4),
            frames=journal.frames(frame),
        )
    )


def _signature(kind: Any) -> list[str]:
    parameters = getattr(kind, "parameters", None)
    if parameters is None:
        return []
    told = []
    for parameter in list(parameters.values())[:_LARGEST_SIGNATURE]:
        told.append(_cut(f"{parameter.name}: {getattr(parameter, 'type_constraint', '')}"))
    return told


def _cut(text: str) -> str:
    """The beginning of a long text, with a number that tells it from others that begin alike."""
    if len(text) <= _LONGEST_TYPE:
        return text
    return f"{text[: _LONGEST_TYPE - 10]}…{zlib.crc32(text.encode()):08x}"


def _definition(function: Any) -> tuple[str, int]:
    """Where the Python function behind a `tf.function` is defined."""
    for _ in range(10):
        inner = _unwrapped(function)
        if inner is None:
            break
        function = inner
    code = getattr(function, "__code__", None)
    if code is None:
        return "", 0
    owner = journal.current()
    file = owner.ownership.resolve(code.co_filename) if owner is not None else code.co_filename
    return file, code.co_firstlineno


def _unwrapped(function: Any) -> Any:
    decorators: Any = sys.modules.get("tensorflow.python.util.tf_decorator")
    if decorators is not None:
        inner = decorators.unwrap(function)[1]
        if inner is not function:
            return inner
    return getattr(function, "__wrapped__", None) or getattr(function, "__func__", None)
