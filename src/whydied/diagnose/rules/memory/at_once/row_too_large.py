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
shrinks with every axis that has the length. Or an architecture that does not look at all pairs.

## Known problems
A number that is in the program for another reason, and happens to be the length, is taken for it.
"""

from __future__ import annotations

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Culprit, Finding
from whydied.diagnose.memory.call_at_death import running_call
from whydied.diagnose.memory.long_rows import LongRow, WrittenLength, long_row, written_length
from whydied.diagnose.memory.step_need import evidence_of, need_of
from whydied.diagnose.rules.memory.at_once import batch_too_large
from whydied.source.edits.edit import Change

ROLE = "memory"
AT_ONCE = True
YIELDS_TO = ("model-too-large",)


def check(case: Case) -> Finding | None:
    running, need, whole = running_call(case), need_of(case), batch_too_large.check(case)
    if whole is None or running is None or need is None:
        return None
    found = long_row(need, running.grown_bytes)
    if found is None:
        return None
    written = written_length(case, found.length)
    place = written.place if written is not None else whole.location
    layer = f" of layer {found.tensor.layer.name}" if found.tensor.layer else ""
    return Finding(
        message=f"{prefix(place)}{_what(running.rows)} needs {words.size(need.peak_bytes)}, and one of a single row "
        f"still {words.size(found.one_row_bytes)}; {words.size(running.grown_bytes)} was free. "
        f"{list(found.tensor.shape)}{layer} grows with the {found.power} of {found.length:,}",
        certainty="certain" if need.peak_bytes > batch_too_large.MATCHES * running.grown_bytes else "likely",
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
        changes=_changes(case, found, written),
    )


def _what(rows: int | None) -> str:
    return f"a step with a batch of {rows:,}" if rows and rows > 1 else "a step"


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
