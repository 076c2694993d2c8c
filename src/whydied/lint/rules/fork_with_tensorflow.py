"""Worker processes are forked from a process that has used TensorFlow, and use it too.

## What it detects
`multiprocessing.Pool`, `Process` or `ProcessPoolExecutor` with the default way to start, which forks on Linux, behind
statements that run TensorFlow or Keras, with a worker function that uses TensorFlow or Keras itself.

## Why it matters
TensorFlow's threads and locks do not survive a fork: the worker hangs, or dies with CUDA_ERROR_NOT_INITIALIZED.

## When it stays silent
`spawn` or `forkserver` is chosen anywhere, the parent has not used TensorFlow by then, the worker does not use it.

## Fix
`multiprocessing.get_context("spawn").Pool(…)`, or `multiprocessing.set_start_method("spawn")` below `if __name__ ==
"__main__":`.

## Known problems
Python 3.14 no longer forks by default on Linux; the rule does not know which Python will run the code.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whydied.lint.kinds import kinds_of
from whydied.lint.library_kinds import MODEL
from whydied.lint.repetition import calls_in
from whydied.lint.static_rule import Hit
from whydied.lint.unit import Unit
from whydied.source.calls import callee, passed_argument
from whydied.source.trees import Function

SAME_FAULT = ("fork-after-start",)
_FORKING = frozenset(
    {
        *("multiprocessing.Pool", "multiprocessing.Process", "multiprocessing.pool.Pool"),
        *("concurrent.futures.ProcessPoolExecutor", "concurrent.futures.process.ProcessPoolExecutor"),
    }
)
_GIVING = frozenset(
    {"map", "imap", "imap_unordered", "starmap", "apply", "apply_async", "map_async", "submit", "starmap_async"}
)
_HARMLESS = (
    "tf.config",
    "tf.get_logger",
    "tf.compat",
    "tf.autograph",
    "keras.utils.set_random_seed",
    "tf.gfile",
    "tf.io.gfile",
    "tf.app",
    "tf.flags",
    "tf.random.set_seed",
    "tf.logging",
)


def check(unit: Unit) -> Iterator[Hit]:
    text = unit.source.exact
    if not ("multiprocessing" in text or "ProcessPoolExecutor" in text) or "spawn" in text or "forkserver" in text:
        return
    for call in unit.calls:
        name = unit.called(call) or _of_context(unit, call)
        if name not in _FORKING or not _was_used(unit, call):
            continue
        workers = [one for one in _workers(unit, call, name) if _uses(unit, one)]
        if workers:
            worker = unit.written(workers[0])
            yield Hit(
                call,
                f"`{unit.written(call.func)}` forks a process that has used TensorFlow, and `{worker}` uses it too",
                'Start the workers with `multiprocessing.get_context("spawn")`.',
            )


def _of_context(unit: Unit, call: ast.Call) -> str:
    """`multiprocessing.get_context("fork").Process(…)` is told as `multiprocessing.Process`."""
    function = call.func
    made = function.value if isinstance(function, ast.Attribute) else None
    if not isinstance(made, ast.Call) or not unit.called(made).endswith("multiprocessing.get_context"):
        return ""
    return f"multiprocessing.{callee(call)}"


def _was_used(unit: Unit, call: ast.Call) -> bool:
    """Whether something before the call, in its own function or at the level of the module, runs TensorFlow."""
    scope = unit.scopes.scope(call)
    before: list[ast.stmt] = []
    for node in [scope] if isinstance(scope, ast.Module) else [scope, unit.tree]:
        body = getattr(node, "body", [])
        is_own = node is scope
        before += [one for one in body if isinstance(one, ast.stmt) and (not is_own or one.lineno < call.lineno)]
    plain = [one for one in before if not isinstance(one, Function | ast.ClassDef) and not _is_main(one, call)]
    return any(
        _runs(where, one) and one is not call
        for where, one in calls_in(unit, plain)
        if where is not unit or one.lineno != call.lineno
    )


def _is_main(node: ast.stmt, call: ast.Call) -> bool:
    """`if __name__ == "__main__":` around the call, or behind the function that it stands in."""
    return (
        isinstance(node, ast.If)
        and "__name__" in ast.dump(node.test)
        and not (node.lineno <= call.lineno <= (node.end_lineno or node.lineno))
    )


def _runs(unit: Unit, call: ast.Call) -> bool:
    name = unit.called(call)
    if name.startswith(("tf.", "keras.")):
        return not name.startswith(_HARMLESS)
    kinds = kinds_of(unit)
    owner = call.func.value if isinstance(call.func, ast.Attribute) else call.func
    return kinds.of(owner) == MODEL or kinds.of(call.func) == MODEL


def _workers(unit: Unit, call: ast.Call, name: str) -> Iterator[ast.expr]:
    if name.endswith("Process"):
        target = passed_argument(call, "target")
        if target is not None:
            yield target
        return
    initializer = passed_argument(call, "initializer")
    if initializer is not None:
        yield initializer
    for other in unit.calls:
        given = isinstance(other.func, ast.Attribute) and callee(other) in _GIVING and other.args
        if given and isinstance(other.func, ast.Attribute) and kinds_of(unit).maker(other.func.value) is call:
            yield other.args[0]


def _uses(unit: Unit, worker: ast.expr) -> bool:
    found = unit.definition(worker)
    if found is None or not isinstance(found[1], Function):
        return False
    return any(_runs(where, call) for where, call in calls_in(found[0], found[1].body))
