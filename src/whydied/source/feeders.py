"""Functions that bring what another thread waits for, and `except` clauses that end them without a word. Pure."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from whydied.source.calls import method_calls, parameters
from whydied.source.text import Source
from whydied.source.trees import across, last_name, walk, within

FEEDING = {
    "queue": ("put", "put_nowait", "send"),
    "full queue": ("get", "get_nowait", "task_done"),
    "event": ("set",),
    "condition": ("notify", "notify_all"),
    "semaphore": ("release",),
    "pipe": ("send", "send_bytes"),
}
"""By what is waited for: the methods that end the wait."""
_STARTED_BY = ("target", "initializer")
_SAYING = frozenset({"print_exc", "exception", "error", "print", "warning", "critical", "format_exc", "put", "set"})


class Feeder(NamedTuple):
    """A function that some thread or process runs. `swallows` is the line of an `except` in it after which it brings
    nothing more and nobody hears of it, where there is one."""

    file: str
    name: str
    line: int
    swallows: int | None


def feeders_of(sources: Mapping[str, Source], kind: str, name: str) -> list[Feeder]:
    """The functions that end a wait of that kind for what the source calls `name`, and that a thread or process was
    given to run."""
    methods, wanted = FEEDING.get(kind, ()), name.rpartition(".")[2]
    run = _run_elsewhere(sources)
    found = []
    for file, function in across(sources, ast.FunctionDef):
        known = {wanted} | _passed_as(sources, function, wanted)
        if function.name in run and any(
            last_name(held) in known for held, _ in method_calls(within(function), methods)
        ):
            found.append(Feeder(file, function.name, function.lineno, _swallowing(function, methods)))
    return found


def _run_elsewhere(sources: Mapping[str, Source]) -> set[str]:
    """Names of functions that are passed to a thread, a process or a pool, and `run` of classes of threads."""
    found: set[str] = set()
    for _, call in across(sources, ast.Call):
        given = [word.value for word in call.keywords if word.arg in _STARTED_BY]
        given += call.args[:1] if last_name(call.func) in ("submit", "Thread", "apply_async", "run_in_executor") else []
        found |= {last_name(one) for one in given}
    for _, owner in across(sources, ast.ClassDef):
        if any(last_name(base) in ("Thread", "Process") for base in owner.bases):
            found.add("run")
    return found


def _passed_as(sources: Mapping[str, Source], function: ast.FunctionDef, wanted: str) -> set[str]:
    """The parameters of a function under which it gets what others call `wanted`: by `args=(wanted,)`."""
    found: set[str] = set()
    names = [name for name in parameters(function) if name != "self"]
    for _, call in across(sources, ast.Call):
        words = {word.arg: word.value for word in call.keywords}
        target = words.get("target") or (call.args[0] if last_name(call.func) == "submit" and call.args else None)
        if target is None or last_name(target) != function.name:
            continue
        given = words.get("args")
        listed = list(given.elts) if isinstance(given, ast.Tuple | ast.List) else list(call.args[1:])
        found |= {name for name, one in zip(names, listed, strict=False) if last_name(one) == wanted}
    return found


def _swallowing(function: ast.FunctionDef, methods: Collection[str]) -> int | None:
    """The `except` around what the function brings that ends it and neither raises nor says anything."""
    for block in _tries(function):
        if not any(True for _ in method_calls((n for s in block.body for n in ast.walk(s)), methods)):
            continue
        for handler in block.handlers:
            if _is_silent(handler) and _ends(function, block, handler):
                return handler.lineno
    return None


def _tries(function: ast.FunctionDef) -> Iterator[ast.Try]:
    return (node for node in within(function) if isinstance(node, ast.Try))


def _is_silent(handler: ast.ExceptHandler) -> bool:
    calls = {last_name(call.func) for call in walk(handler, ast.Call)}
    return not walk(handler, ast.Raise) and calls.isdisjoint(_SAYING)


def _ends(function: ast.FunctionDef, block: ast.Try, handler: ast.ExceptHandler) -> bool:
    """Whether nothing more is brought after the handler: it leaves, or the loop is inside of the `try`."""
    if any(isinstance(node, ast.Break | ast.Return) for node in ast.walk(handler)):
        return True
    loops = [node for node in within(function) if isinstance(node, ast.For | ast.While | ast.AsyncFor)]
    return not any(block is inner for loop in loops for inner in ast.walk(loop))
