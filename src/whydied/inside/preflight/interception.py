"""Ends the program at its first training or inference step, after the step was traced; runs in the user's process, and
only where `whydied estimate` started it.

A step is a call of a `tf.function`: one that Keras makes inside `fit` and its kin, or one of the program's own that
uses trainable variables; or what Python does from a `GradientTape` to the update of the weights; or a run of a
TensorFlow 1 session. It is traced for any number of rows, TensorFlow makes its graph ready, and what there is to know
is written; then the process ends, as if by `os._exit`.

Invariant: no step runs, but for a calibration of two rows where it was asked for. A function that is not a step is
called as it would have been, and so is one outside of Keras that cannot be traced; why it cannot is written.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import CodeType, FrameType, ModuleType
from typing import Any, NoReturn

from whydied.errors import WhydiedError
from whydied.graph import traced_step
from whydied.graph.traced_step import Place, TrialRun
from whydied.inside import journal
from whydied.inside.model.execution_mode import executing_eagerly
from whydied.inside.preflight import fit_trial
from whydied.inside.preflight.step_files import write_reason
from whydied.inside.preflight.untraced_reasons import NotTraceable

KINDS = frozenset({"fit", "evaluate", "predict", "train_on_batch", "test_on_batch", "predict_on_batch"})
_EAGER = "the model runs eagerly (run_eagerly=True), and "
_EAGER_LOOP = "the program trains eagerly (a GradientTape outside any tf.function), and "
_DRAWING = frozenset({"ReduceDataset", "IteratorGetNextAsOptional"})
_busy = False
_unrolled = False
"""Whether a function that loops over its data is run by Python, only to find its step."""
_no_steps: set[int] = set()
_no_tapes: set[CodeType] = set()


def hook_calls(module: ModuleType) -> None:
    """`tensorflow.python.eager.polymorphic_function.polymorphic_function`"""
    original = module.Function.__call__

    def call(function: Any, *args: Any, **kwargs: Any) -> Any:
        if not _busy and executing_eagerly() and id(function) not in _no_steps:
            frame = sys._getframe(1)
            if fit_trial.is_running():
                return _counted(original, function, args, kwargs, frame)
            _consider(function, args, kwargs, frame)
        return original(function, *args, **kwargs)

    module.Function.__call__ = call


def hook_fit(module: ModuleType) -> None:
    """Keras' trainer: a trial has the program's own `fit` train with another batch."""
    rows = _trial_rows()
    if rows:
        fit_trial.install(module, rows)


def _counted(original: Any, function: Any, args: Any, kwargs: Any, frame: FrameType) -> Any:
    """A call while the program's own `fit` is tried."""
    try:
        given = original(function, *args, **kwargs)
    except Exception as error:
        fit_trial.failed(error)
        leave()
    if _keras_frame(frame) is not None and fit_trial.stepped():
        leave()
    return given


def hook_tapes(module: ModuleType) -> None:
    """`tensorflow.python.eager.backprop`: a tape outside any function begins a step that Python runs op by op."""
    original = module.GradientTape.__enter__

    def enter(tape: Any) -> Any:
        frame = sys._getframe(1)
        if not _busy and executing_eagerly() and frame.f_code not in _no_tapes:
            _consider_tape(frame)
        return original(tape)

    module.GradientTape.__enter__ = enter


def hook_sessions(module: ModuleType) -> None:
    """`tensorflow.python.client.session`: the first run that computes gradients, or that is fed and uses variables."""
    original = module.BaseSession._do_run

    def do_run(session: Any, handle: Any, targets: Any, fetches: Any, feeds: Any, *rest: Any) -> Any:
        if not _busy:

            def run(given: Any) -> Any:
                return original(session, handle, targets, fetches, given, *rest)

            _consider_run(session, targets, fetches, feeds, run, sys._getframe(1))
        return original(session, handle, targets, fetches, feeds, *rest)

    module.BaseSession._do_run = do_run


def _consider_run(
    session: Any, targets: Any, fetches: Any, feeds: Any, run: Callable[[Any], Any], frame: FrameType
) -> None:
    global _busy
    from whydied.inside.preflight import session_step, trial_steps

    _busy = True
    try:
        found = session_step.traced(session, targets, fetches, feeds)
        if found is None:
            return
        batch, rows = found.step.batch, _trial_rows()
        if rows:
            trial_steps.run(lambda rows: run(session_step.resized(feeds, batch, rows)), rows)
        else:
            tiny = (lambda rows: run(session_step.resized(feeds, batch, rows))) if "calibrate" in _options() else None
            session_step.write(found, _place(frame), tiny)
    except Exception as error:
        _failed(error, frame, "of a session, ")
    finally:
        _busy = False
    leave()


def _consider(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], frame: FrameType) -> None:
    global _busy
    keras = _keras_frame(frame)
    if keras is None and _inside_keras(frame):
        return
    _busy = True
    refused: NotTraceable | None = None
    try:
        from whydied.inside.model import layer_lines
        from whydied.inside.preflight import step_facts, trial_steps

        layer_lines.keep_scopes()
        rows = _trial_rows()
        found = step_facts.callable_step(function, args, kwargs, keras, rows=rows)
        if found is None:
            _no_steps.add(id(function))
            return
        if keras is None and _loops_over_data(found.concrete):
            _unroll(function)
            return
        if rows:
            trial_steps.run(found.call, rows)
        else:
            step_facts.write(found.traced(), _place(frame), calibrated="calibrate" in _options())
    except NotTraceable as error:
        refused = error
    except Exception as error:
        if os.environ.get("WHYDIED_DEBUG") == "1":
            raise
        _failed(error, frame)
    finally:
        _busy = False
    if refused is not None:
        if keras is None and _trial_rows():
            # That it is not the step is known: the one that was estimated was traced.
            _no_steps.add(id(function))
            return
        _failed(refused, frame)
        if keras is None:
            # It need not be a step: a later one replaces what was written.
            _no_steps.add(id(function))
            return
        # Raises what the step itself would raise, where the program would see it.
        function.get_concrete_function(*args, **kwargs)
    leave()


def _loops_over_data(concrete: Any) -> bool:
    """Whether the function draws its batches itself: its step is a part of it."""
    given = concrete.graph.as_graph_def()
    ops = {node.op for part in (given, *given.library.function) for node in _nodes(part)}
    return not _DRAWING.isdisjoint(ops)


def _nodes(part: Any) -> Any:
    """Of a graph or of a function in its library."""
    return part.node_def if hasattr(part, "node_def") else part.node


def _unroll(function: Any) -> None:
    """Let Python run the function: its step is then seen where a tape is opened, or a function is called in it."""
    global _unrolled
    _unrolled = True
    _no_steps.add(id(function))
    sys.modules["tensorflow"].config.run_functions_eagerly(True)


def _consider_tape(frame: FrameType) -> None:
    global _busy
    _busy = True
    try:
        from whydied.inside.model import layer_lines
        from whydied.inside.preflight import eager_step, trial_steps

        layer_lines.keep_scopes()
        found = eager_step.found(frame, _inside_keras(frame), in_graph=_unrolled)
        if found is None:
            _no_tapes.add(frame.f_code)
            return
        rows = _trial_rows()
        if rows:
            trial_steps.run(found.call, rows)
        else:
            calibrated = "calibrate" in _options()
            eager_step.write(found, _place(frame), calibrated=calibrated, in_graph=_unrolled)
    except Exception as error:
        if os.environ.get("WHYDIED_DEBUG") == "1":
            raise
        _failed(error, frame, _EAGER if _inside_keras(frame) else _EAGER_LOOP)
    finally:
        _busy = False
    leave()


def _failed(error: Exception, frame: FrameType, what: str = "") -> None:
    told = str(error).strip().partition("\n")[0]
    if not isinstance(error, WhydiedError):
        told = f"{type(error).__name__}: {told}"
    rows = _trial_rows()
    if rows:
        from whydied.inside.preflight import trial_steps

        trial_steps.write(TrialRun(rows=rows, reason=f"{what}the step could not be tried: {told}"))
    else:
        write_reason(f"{what}the step could not be traced: {told}", _place(frame))


def _trial_rows() -> int:
    """How many rows are to be tried; 0 where nothing is."""
    word = next((word for word in _options() if word.startswith(traced_step.TRIAL_WORD)), "")
    return int(word.removeprefix(traced_step.TRIAL_WORD)) if word else 0


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


def _inside_keras(frame: FrameType) -> FrameType | None:
    """The frame of `fit` or its kin around this one. Functions that callbacks and layers call there are no steps."""
    step: FrameType | None = frame
    while step is not None:
        if step.f_code.co_name in KINDS and "keras" in step.f_code.co_filename:
            return step
        step = step.f_back
    return None


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
