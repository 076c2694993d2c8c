"""Ends the program at its first training or inference step, after the step was traced; runs in the user's process, and
only where `whydied estimate` started it.

A step is a call of a `tf.function`: one that Keras makes inside `fit` and its kin, or one of the program's own that
uses trainable variables; or a run of a TensorFlow 1 session. It is traced for any number of rows, TensorFlow makes its
graph ready, and what there is to know is written; then the process ends, as if by `os._exit`.

Invariant: no step runs, but for a calibration of two rows where it was asked for. A function that is not a step is
called as it would have been, and so is one outside of Keras that cannot be traced; why it cannot is written.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import FrameType, ModuleType
from typing import Any, NoReturn

from whydied.graph import traced_step
from whydied.graph.traced_step import Place
from whydied.inside import journal
from whydied.inside.model.execution_mode import executing_eagerly
from whydied.inside.preflight.step_files import write_reason

KINDS = frozenset({"fit", "evaluate", "predict", "train_on_batch", "test_on_batch", "predict_on_batch"})
_EAGER_LOOP = "the program computes gradients eagerly (a GradientTape outside any tf.function)"
_busy = False
_no_steps: set[int] = set()


def hook_calls(module: ModuleType) -> None:
    """`tensorflow.python.eager.polymorphic_function.polymorphic_function`"""
    original = module.Function.__call__

    def call(function: Any, *args: Any, **kwargs: Any) -> Any:
        if not _busy and executing_eagerly() and id(function) not in _no_steps:
            _consider(function, args, kwargs, sys._getframe(1))
        return original(function, *args, **kwargs)

    module.Function.__call__ = call


def hook_tapes(module: ModuleType) -> None:
    """`tensorflow.python.eager.backprop`: a gradient that is computed outside any function is a step op by op."""
    original = module.GradientTape.gradient

    def gradient(tape: Any, *args: Any, **kwargs: Any) -> Any:
        if not _busy and executing_eagerly():
            frame = sys._getframe(1)
            eager = "the model runs eagerly (run_eagerly=True)" if _inside_keras(frame) else _EAGER_LOOP
            write_reason(f"{eager}, and only a tf.function can be traced without running it", _place(frame))
            leave()
        return original(tape, *args, **kwargs)

    module.GradientTape.gradient = gradient


def hook_sessions(module: ModuleType) -> None:
    """`tensorflow.python.client.session`: the first run that computes gradients, or that is fed and uses variables."""
    original = module.BaseSession._do_run

    def do_run(session: Any, handle: Any, targets: Any, fetches: Any, feeds: Any, *rest: Any) -> Any:
        if not _busy:
            _consider_run(session, targets, fetches, feeds, sys._getframe(1))
        return original(session, handle, targets, fetches, feeds, *rest)

    module.BaseSession._do_run = do_run


def _consider_run(session: Any, targets: Any, fetches: Any, feeds: Any, frame: FrameType) -> None:
    from whydied.inside.preflight import session_step

    try:
        found = session_step.traced(session, targets, fetches, feeds)
    except Exception as error:
        write_reason(f"the run of the session could not be read: {type(error).__name__}: {error}", _place(frame))
        leave()
    if found is not None:
        session_step.write(found, _place(frame))
        leave()


def _consider(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], frame: FrameType) -> None:
    global _busy
    keras = _keras_frame(frame)
    if keras is None and _inside_keras(frame):
        return
    _busy = True
    refused = ""
    try:
        from whydied.inside.model import layer_lines
        from whydied.inside.preflight import step_facts

        layer_lines.keep_scopes()
        trial = next((word for word in _options() if word.startswith(traced_step.TRIAL_WORD)), "")
        rows = int(trial.removeprefix(traced_step.TRIAL_WORD)) if trial else 0
        found = step_facts.trace(function, args, kwargs, keras, rows)
        if found is None:
            _no_steps.add(id(function))
            return
        if rows:
            step_facts.run_trial(found, rows)
        else:
            step_facts.write(found, _place(frame), calibrated="calibrate" in _options())
    except step_facts.NotTraceable as error:
        refused = str(error)
    except Exception as error:
        if os.environ.get("WHYDIED_DEBUG") == "1":
            raise
        write_reason(f"the step could not be traced: {type(error).__name__}: {error}", _place(frame))
    finally:
        _busy = False
    if refused:
        write_reason(f"the step could not be traced: {refused}", _place(frame))
        if keras is None:
            # It need not be a step: a later one replaces what was written.
            _no_steps.add(id(function))
            return
        # Raises what the step itself would raise, where the program would see it.
        function.get_concrete_function(*args, **kwargs)
    leave()


def _keras_frame(frame: FrameType) -> FrameType | None:
    """The frame of `fit` or its kin, where the function is the step of that call."""
    if not frame.f_code.co_filename.endswith(("trainer.py", "training.py")) or "keras" not in frame.f_code.co_filename:
        return None
    step: FrameType | None = frame
    while step is not None:
        if step.f_code.co_name in KINDS and "keras" in step.f_code.co_filename:
            return step
        step = step.f_back
    return None


def _inside_keras(frame: FrameType) -> bool:
    """Functions that callbacks and layers call while Keras trains are no steps."""
    step: FrameType | None = frame
    while step is not None:
        if step.f_code.co_name in KINDS and "keras" in step.f_code.co_filename:
            return True
        step = step.f_back
    return False


def _options() -> list[str]:
    return os.environ.get("WHYDIED_OPTIONS", "").split(",")


def _place(frame: FrameType) -> Place | None:
    frames = journal.frames(frame)
    if not frames:
        return None
    import linecache

    last = frames[-1]
    source = last.source or linecache.getline(last.file, last.line).strip()
    return Place(file=last.file, line=last.line, function=last.function, source=source, end_line=last.end_line)


def leave() -> NoReturn:
    """The program must not go on, whatever it catches."""
    for stream in (sys.stdout, sys.stderr):
        _quietly(stream.flush)
    os._exit(0)


def _quietly(work: Callable[[], Any]) -> None:
    try:
        work()
    except Exception:
        return
