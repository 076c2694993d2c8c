"""Edits of sizes: a batch, a buffer, a queue, workers, changed where the number is written. Pure."""

from __future__ import annotations

import ast

from whydied.source.calls import callee, passed_argument
from whydied.source.edits.call_edits import add_argument, calls_at, keyword_values, set_argument
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.runs.literal_numbers import number_at
from whydied.source.edits.runs.pool_edits import POOLS
from whydied.source.edits.statement_edits import left_out
from whydied.source.numbers import constants, evaluate
from whydied.source.text import Source
from whydied.source.trees import around, nodes_on, walk

_MAKERS = frozenset({"ones", "zeros", "full", "empty", "array", "asarray"})


def power_below(number: int) -> int:
    """The largest power of two that is not above a number, as people choose batches."""
    return 1 << (max(number, 1).bit_length() - 1)


def smaller_batch(
    source: Source, file: str, line: int, method: str, rows: int, wanted: int, *, by_default: bool
) -> Edit | None:
    """The only number of the statement that is the size of a batch, where it is written, else the expression that a
    call of `fit` has for it; with `by_default`, where the library's own size was used, one more argument."""
    given = [
        value
        for node in nodes_on(source, line)
        if isinstance(node, ast.Call)
        for value in (passed_argument(node, "batch_size"), *node.args)
        if value is not None
    ]
    places = {id(place): place for node in given if (place := number_at(source, node, own="batch")) is not None}
    known = constants(source.tree)
    found = [place for place in places.values() if evaluate(place, known) == rows]
    if found:
        return over(source, file, found[0], str(wanted)) if len(found) == 1 else None
    calls = calls_at(source, line, method)
    if method not in ("fit", "evaluate", "predict") or len(calls) != 1:
        return None
    # The third argument of some calls is the size of a batch, too.
    if passed_argument(calls[0], "batch_size") is None and (not by_default or len(calls[0].args) > 2):
        return None
    return set_argument(source, file, calls[0], "batch_size", None, str(wanted))


def predicted(source: Source, file: str, line: int, data: str, rows: int) -> Edit | None:
    """A model that is called with all rows, asked for a prediction in batches instead."""
    calls = [
        node
        for node in nodes_on(source, line)
        if isinstance(node, ast.Call) and len(node.args) == 1 and isinstance(node.func, ast.Name | ast.Attribute)
        if written_in(source, node.args[0]) == data and all(word.arg == "training" for word in node.keywords)
    ]
    if len(calls) != 1:
        return None
    call = calls[0]
    return over(source, file, call, f"{written_in(source, call.func)}.predict({data}, batch_size={rows})")


def buffer_of(source: Source, file: str, line: int, stage: str, wanted: str) -> Edit | None:
    """The size of a `shuffle` or a `prefetch`."""
    calls = calls_at(source, line, stage)
    if len(calls) != 1 or not (calls[0].args or calls[0].keywords):
        return None
    call = calls[0]
    size = passed_argument(call, "buffer_size") or passed_argument(call, "0")
    place = number_at(source, size) if size is not None and not _is_shared(source, size) else None
    chosen = place if place is not None and wanted.isdigit() else size
    return over(source, file, chosen, wanted) if chosen is not None else None


def _is_shared(source: Source, node: ast.expr) -> bool:
    """Whether a name stands in other places of the program too: its number means more than this one size."""
    if not isinstance(node, ast.Name):
        return False
    reads = [one for one in walk(source.tree, ast.Name) if one.id == node.id and isinstance(one.ctx, ast.Load)]
    return len(reads) > 1


def without_stage(source: Source, file: str, line: int, stage: str) -> Edit | None:
    """A stage of a pipeline left out: what it is called on stays."""
    calls = [call for call in calls_at(source, line, stage) if isinstance(call.func, ast.Attribute)]
    if len(calls) != 1 or not isinstance(calls[0].func, ast.Attribute):
        return None
    rest = written_in(source, calls[0].func.value)
    whole = [node for node in nodes_on(source, line) if isinstance(node, ast.Assign) and node.value is calls[0]]
    if whole and [written_in(source, target) for target in whole[0].targets] == [rest]:
        return left_out(source, file, whole[0])
    return over(source, file, calls[0], rest)


def keyword_set(source: Source, file: str, line: int, word: str, wanted: int) -> Edit | None:
    """A number that the only call of the statement that has the keyword gives it."""
    given = keyword_values(source, line, word)
    place = number_at(source, given[0]) if len(given) == 1 else None
    return over(source, file, place or given[0], str(wanted)) if len(given) == 1 else None


def fewer_workers(source: Source, file: str, line: int, wanted: int) -> Edit | None:
    """A pool of processes with fewer of them."""
    pools = [node for node in nodes_on(source, line) if isinstance(node, ast.Call) and callee(node) in POOLS]
    return set_argument(source, file, pools[0], POOLS[callee(pools[0])], 0, str(wanted)) if len(pools) == 1 else None


def fewer_rounds(source: Source, file: str, line: int, wanted: int) -> Edit | None:
    """The loop around a statement, `for … in range(n)`, with fewer rounds; the only one that the statement is in."""
    loops = [node for node in around(source.tree, line, ast.For) if node.lineno < line]
    if not loops or not isinstance(loops[-1].iter, ast.Call):
        return None
    call = loops[-1].iter
    if callee(call) != "range" or len(call.args) != 1 or call.keywords:
        return None
    place = number_at(source, call.args[0]) if not _is_shared(source, call.args[0]) else None
    return over(source, file, place or call.args[0], str(wanted))


def float32_array(source: Source, file: str, line: int, numpy: str) -> Edit | None:
    """The only array that the statement makes without naming a type, as float32."""
    made = [
        node
        for node in nodes_on(source, line)
        if isinstance(node, ast.Call) and callee(node) in _MAKERS and _is_of(node, numpy)
    ]
    if len(made) != 1 or passed_argument(made[0], "dtype") is not None:
        return None
    most = 2 if callee(made[0]) == "full" else 1
    return add_argument(source, file, made[0], f"dtype={numpy}.float32") if len(made[0].args) == most else None


def _is_of(call: ast.Call, module: str) -> bool:
    return (
        isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name) and call.func.value.id == module
    )
