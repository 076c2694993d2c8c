"""Not even one row fits: a step with a batch of one needs more memory than there is.

## What it detects
A training step, or a batched `predict` or `evaluate`, that took most of the program's memory in one of its first steps,
and whose largest tensor has one length two or three times: the scores of an attention, the sides of a picture or of a
volume.

## Why it happens
What an attention needs grows with the square of the length of its texts, a picture with the square of its side and a
volume with the cube. A smaller batch divides that by the batch at most.

## Evidence
That of `batch-too-large`; and what the recorded graph of the step predicts for a batch of one.

## How it is proved
By the graph: its predicted peak for one row is more than the room there was. Certain where the prediction for the whole
batch comes to at least 85 % of what was taken; otherwise likely. The line is the one that says the length, where only
one does, else the call.

## Fix
A shorter length, or a smaller picture; the one that fits is estimated from the tensors alive at the peak, each of which
shrinks with every axis that has the length. Layers of the program's own that are recomputed in the backward pass, or
activations of half the size (mixed precision), where the graph says that this is enough. Or an architecture that does
not look at all pairs.

## Known problems
A number that is in the program for another reason, and happens to be the length, is taken for it.
"""

from __future__ import annotations

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Culprit, Finding
from whydied.diagnose.memory.call_at_death import RunningCall, own_bytes, running_call
from whydied.diagnose.memory.growth_with_events import gathers_under_a_name
from whydied.diagnose.memory.lighter_changes import lighter_changes
from whydied.diagnose.memory.long_rows import LongRow, WrittenLength, long_row, written_length
from whydied.diagnose.memory.step_need import Need, evidence_of, need_of, need_of_rows
from whydied.diagnose.rules.memory.at_once import batch_too_large
from whydied.source.edits.edit import Change

ROLE = "memory"
AT_ONCE = True
YIELDS_TO = ("model-too-large",)


def check(case: Case) -> Finding | None:
    running = running_call(case)
    if running is None or not _took_it(case, running):
        return None
    # Data that do not say how many rows a batch has, have one at least.
    need = need_of(case) if running.rows else need_of_rows(case, 1)
    room = _room_bytes(case, running)
    found = long_row(need, room)
    if need is None or found is None:
        return None
    written = written_length(case, found.length)
    place = written.place if written is not None else running.place
    layer = f" of layer {found.tensor.layer.name}" if found.tensor.layer else ""
    return Finding(
        message=f"{prefix(place)}{_needs(running.rows, need, found)}; {words.size(room)} was free. "
        f"{list(found.tensor.shape)}{layer} grows with the {found.power} of {found.length:,}",
        certainty="certain" if need.peak_bytes > batch_too_large.MATCHES * room else "likely",
        location=place,
        culprit=Culprit(
            kind="length",
            name=written.name if written is not None else None,
            shape=list(found.tensor.shape),
            dtype=found.tensor.dtype,
            bytes=need.peak_bytes,
            value=str(found.length),
        ),
        evidence=evidence_of(case, running, need),
        advice=_advice(found, written),
        changes=[*lighter_changes(case, need, running.place, room), *_changes(case, found, written)],
    )


def _room_bytes(case: Case, running: RunningCall) -> int:
    """What the step had: as much as it took before it was killed. One that was refused its memory took nothing, and had
    what was left of the limit."""
    limit = case.recording.limit
    if case.uncaught is None or limit is None:
        return running.grown_bytes
    return max(running.grown_bytes, limit.limit_bytes - own_bytes(case))


def _took_it(case: Case, running: RunningCall) -> bool:
    """Whether the step is what memory ran out for: told by its batch, or one of the first steps of a call of Keras."""
    if running.rows:
        return batch_too_large.check(case) is not None
    return (
        case.uncaught is None
        and running.done <= batch_too_large.WORKED_BEFORE
        and running.grown_bytes >= batch_too_large.TAKES * own_bytes(case)
        and not gathers_under_a_name(case, running.began_s)
    )


def _needs(rows: int | None, need: Need, found: LongRow) -> str:
    if not rows or rows == 1:
        return f"a step needs {words.size(found.one_row_bytes)} for one row"
    return (
        f"a step with a batch of {rows:,} needs {words.size(need.peak_bytes)}, and one of a single row still "
        f"{words.size(found.one_row_bytes)}"
    )


def _advice(found: LongRow, written: WrittenLength | None) -> list[str]:
    if found.fits is None:
        return [f"A smaller batch is not enough: the length of {found.length:,} must be far smaller."]
    change = (
        f"Set `{written.name}` to {found.fits:,} or less instead of {found.length:,}"
        if written is not None and not written.name.isdigit()
        else f"Use a length of {found.fits:,} or less instead of {found.length:,}"
    )
    return [
        f"{change} (estimated, not yet tried); a smaller batch is not enough. Longer texts can be cut into pieces, "
        "larger pictures resized or cut into tiles."
    ]


def _changes(case: Case, found: LongRow, written: WrittenLength | None) -> list[Change]:
    edits = written.changed(case, found.fits) if written is not None and found.fits is not None else []
    title = f"Use a length of {found.fits:,}" if found.fits is not None else ""
    return [Change(title=title, kind="size", edits=edits)] if edits else []
