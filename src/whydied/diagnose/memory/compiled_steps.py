"""Memory that XLA asked for: what it wanted, and the `jit_compile` that had it compile. Pure.

XLA reserves the temporary memory of all that it compiled in one request, so the size is that of a whole step and not of
one tensor. It grows with the batch, about in proportion.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.diagnose.case import Case, line_words
from whydied.diagnose.finding import Location
from whydied.diagnose.memory import allocator_messages
from whydied.diagnose.memory.bounding_changes import change_of
from whydied.diagnose.memory.call_at_death import RunningCall
from whydied.diagnose.memory.step_need import MARGIN, Estimate
from whydied.records import Frame, RlimitsSeen
from whydied.source.calls import passed_argument
from whydied.source.edits.edit import Change, over
from whydied.source.trees import across


class CompiledStep(NamedTuple):
    """`asked_by` is the line with `jit_compile=True`; Keras compiles on a GPU without being asked."""

    asked_bytes: int
    asked_by: Location | None

    @property
    def words(self) -> str:
        return f"compiled by XLA (`jit_compile=True`, {line_words(self.asked_by)})" if self.asked_by else "XLA"

    @property
    def advice(self) -> str:
        where = f" on {line_words(self.asked_by)}" if self.asked_by else " in `compile`"
        return (
            "XLA reserves the temporary memory of the whole step at once: with `jit_compile=False`"
            f"{where} the ops take theirs one after the other, which may need less."
        )


def without_xla(case: Case, needed_bytes: float) -> list[Change]:
    """`jit_compile=False` where the only line that asks for XLA says so, and what the ops need then can be there."""
    limit = case.recording.limit
    if limit is None or needed_bytes > limit.limit_bytes:
        return []
    found = [
        (file, word.value)
        for file, word in across(case.sources, ast.keyword)
        if word.arg == "jit_compile" and isinstance(word.value, ast.Constant) and word.value.value is True
    ]
    if len(found) != 1:
        return []
    file, value = found[0]
    edit = over(case.sources[file], file, value, "False")
    return change_of("Compute it without XLA", "argument", edit, value=False, harm="same result")


def compiled_step(case: Case) -> CompiledStep | None:
    """The request of XLA that ended the run."""
    for link in reversed(case.uncaught.chain if case.uncaught else []):
        told = allocator_messages.parse(link.message)
        if told is not None and told.compiled and told.asked_bytes:
            return CompiledStep(told.asked_bytes, asked_by(case))
    return None


def asked_by(case: Case) -> Location | None:
    """The only line that asks for XLA."""
    found = [
        Frame(file=file, line=node.lineno, function="", user=True)
        for file, node in across(case.sources, ast.Call)
        if isinstance(value := passed_argument(node, "jit_compile"), ast.Constant) and value.value is True
    ]
    return case.locate(found[0]) if len(found) == 1 else None


def estimate(case: Case, step: CompiledStep, running: RunningCall) -> Estimate:
    """The batch that would have fitted, where all that XLA asked for grows with it."""
    limits, sample = case.recording.supervisor.last(RlimitsSeen), case.last_sample
    there = [
        case.recording.limit.limit_bytes if case.recording.limit else None,
        sample.machine.available_bytes if sample else None,
        limits.address_space_bytes if limits else None,
    ]
    room = min((size for size in there if size is not None), default=0) - running.before_bytes
    fits = int(MARGIN * (running.rows or 0) * max(0, room) / step.asked_bytes)
    return Estimate(step.asked_bytes, fits if 0 < fits < (running.rows or 0) else None)
