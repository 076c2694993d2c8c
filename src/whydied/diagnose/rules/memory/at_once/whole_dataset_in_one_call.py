"""All rows of a data set went through the network in one call.

## What it detects
`predict` or `evaluate` with a batch of (nearly) all rows, `…_on_batch`, a model, a `tf.function` or a session
that is given far more rows at once than the steps before, outside of training.

## Why it happens
Training is done in batches; the test at the end takes the whole test set, because it is one line. The
activations of all rows must then be in memory at once.

## Evidence
The call that was running at the end, the rows that it got, the rows that earlier calls got, the memory before
it and at the end, and, where the call was traced, the peak that its graph predicts.

## How it is proved
The call must have taken at least 40 % of what the program held above its libraries. For `predict` and
`evaluate` the batch must hold at least half of all rows. For other calls the rows must be at least four times
those of the calls before, at another line; where there were none before, at least 64, and a
whole variable (not a slice of it) must have been passed. A call whose graph predicts less than a quarter of what was
taken is not blamed. Certain where earlier calls with fewer rows worked
or the batch is all of the rows; otherwise likely.

## Fix
Call it in batches: `model.predict(x, batch_size=32)`, or a loop over slices for `model(x)` and for a session.

## Known problems
Keras 2 does not tell of models that are called directly.

## References
TensorFlow issues 136, 279, 4093, 15211.
"""

from __future__ import annotations

import statistics

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.diagnose.memory.bounding_changes import change_of
from whydied.diagnose.memory.call_at_death import KERAS, ON_BATCH, RunningCall, own_bytes, running_call
from whydied.diagnose.memory.compiled_steps import compiled_step
from whydied.diagnose.memory.step_need import Need, evidence_of, need_of
from whydied.records import CallBegan
from whydied.source.calls import argument
from whydied.source.edits.call_edits import only_call, set_argument
from whydied.source.edits.edit import Change
from whydied.source.edits.runs.fed_slices import fed_in_slices
from whydied.source.edits.runs.size_edits import predicted
from whydied.source.training.session_calls import fed_value

TAKES = 0.4
OF_ALL = 0.5
TIMES_USUAL = 4
FEWEST_ROWS = 64
PREDICTED = 0.25
"""A graph that needs less than this part of what was taken says that something else took it."""

ROLE = "memory"
AT_ONCE = True
YIELDS_TO = ("loop-keeps-tensors",)


def check(case: Case) -> Finding | None:
    running = running_call(case)
    if running is None or running.trains or not running.rows or running.grown_bytes < TAKES * own_bytes(case):
        return None
    # What memory grew by says nothing of a request that was refused as a whole.
    if running.kind not in KERAS and compiled_step(case) is not None:
        return None
    usual = _usual_rows(case, running)
    if not (_is_batched_whole(running) if running.kind in KERAS else _is_far_more(case, running, usual)):
        return None
    need = need_of(case)
    if need is not None and (need.trains or need.peak_bytes < PREDICTED * running.grown_bytes):
        return None
    name = _name(case, running)
    needed = need.of(running) if need else running.grown_bytes
    exceeds = need is not None and need.peak_bytes > running.grown_bytes
    free = f"{words.size(running.grown_bytes)} that was free"
    amount = f"{words.size(needed)}, more than the {free}" if exceeds else f"more than the {free}"
    before = f" (earlier calls had {usual:,})" if usual else ""
    fits = f"; {need.fits:,} at a time should fit (predicted)" if need and need.fits else ""
    return Finding(
        message=f"{prefix(running.place)}{_what(running)} gets all {running.rows:,} rows of `{name}` in one call"
        f"{before}: that needs {amount}{fits}",
        certainty="certain" if running.kind in KERAS or usual is not None else "likely",
        location=running.place,
        culprit=Culprit(
            kind="array",
            name=name,
            shape=list(running.shapes[0]) if running.shapes else None,
            bytes=needed,
            value=f"{running.rows} rows",
        ),
        evidence=[
            Evidence(fact="rows in this call", value=running.rows, source="CallBegan, InputsSeen"),
            *([Evidence(fact="rows in earlier calls", value=usual, source="InputsSeen")] if usual else []),
            *evidence_of(case, running, need),
        ],
        advice=[_batched(running, name, need)],
        changes=_changes(case, running, name, need),
    )


def _changes(case: Case, running: RunningCall, name: str, need: Need | None) -> list[Change]:
    place, rows = running.place, _fitting(need)
    source = case.sources.get(place.file)
    if source is None:
        return []
    edit = None
    if running.kind in ("predict", "evaluate"):
        call = only_call(case.sources, place.file, place.line, running.kind)
        edit = set_argument(source, place.file, call, "batch_size", None, str(rows)) if call is not None else None
    elif running.kind == "call" and name.isidentifier():
        edit = predicted(source, place.file, place.line, name, rows)
    elif running.kind == "session":
        whole = [shape for shape in running.shapes if shape[:1] == [running.rows]]
        edit = fed_in_slices(source, place.file, place.line, rows, len(whole))
    return change_of(f"Pass {rows:,} rows at a time", "batch-size", edit, value=rows, harm="same result")


def _fitting(need: Need | None) -> int:
    return min(256, need.fits) if need and need.fits else 32


def _is_batched_whole(running: RunningCall) -> bool:
    return running.all_rows is not None and (running.rows or 0) >= max(FEWEST_ROWS, OF_ALL * running.all_rows)


def _is_far_more(case: Case, running: RunningCall, usual: int | None) -> bool:
    rows = running.rows or 0
    if usual is not None:
        return rows >= TIMES_USUAL * usual and rows >= FEWEST_ROWS
    word = running.arguments[0] if running.arguments else "0"
    given = argument(case.sources, running.place, running.name, word)
    return rows >= FEWEST_ROWS and given is not None and "[" not in given


def _usual_rows(case: Case, running: RunningCall) -> int | None:
    """Rows of the calls before, at other lines too; of a `fit` its batch."""
    kinds = {running.kind} if running.kind == "session" else {"call", "function", "batch"}
    rows = [one.shapes[0][0] for one in running.earlier if one.unit in kinds and one.shapes and one.shapes[0]]
    if running.kind in ON_BATCH:
        # The last record is that of this very call.
        rows = rows[:-1] if rows and rows[-1] == running.rows else rows
    if not rows:
        fits = [call for call in case.records.all(CallBegan) if call.kind == "fit"]
        rows = [call.arguments.get("batch_size", 32) for call in fits]
    return round(statistics.median(rows)) if rows else None


def _what(running: RunningCall) -> str:
    if running.kind == "call":
        return f"`{running.name}`, called directly,"
    if running.kind == "session":
        return "the session"
    return f"`{running.name if running.kind == 'function' else running.kind}`"


def _name(case: Case, running: RunningCall) -> str:
    """What was passed, as the source writes it; of a feed the value."""
    if running.kind == "session":
        return fed_value(case.sources, running.place) or (running.arguments[0] if running.arguments else "the feed")
    word = running.arguments[0] if running.arguments else "0"
    if running.kind in KERAS or running.kind in ON_BATCH:
        return (
            argument(case.sources, running.place, running.kind, "x")
            or argument(case.sources, running.place, running.kind, "0")
            or "x"
        )
    return argument(case.sources, running.place, running.name, word) or "the input"


def _batched(running: RunningCall, name: str, need: Need | None) -> str:
    rows = _fitting(need)
    if running.kind in ("predict", "evaluate"):
        return f"Use `{running.kind}(…, batch_size={rows})`."
    if running.kind == "session":
        return (
            f"Feed slices: `for i in range(0, len({name}), {rows})`, with `{name}[i:i + {rows}]`, and "
            "average the results."
        )
    model = running.name if running.kind == "function" else "model"
    if running.kind == "function":
        return f"Call `{model}` for slices `{name}[i:i + {rows}]` and combine the results."
    return f"Use `model.predict({name}, batch_size={rows})`, or call it for slices `{name}[i:i + {rows}]`."
