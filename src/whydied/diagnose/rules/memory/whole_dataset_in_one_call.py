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
from whydied.diagnose.finding import Certainty, Culprit, Evidence, Finding
from whydied.diagnose.memory.call_at_death import KERAS, ON_BATCH, Act, act_of, own_bytes
from whydied.diagnose.memory.step_need import Need, evidence_of, need_of
from whydied.records import CallBegan
from whydied.source.calls import argument
from whydied.source.training.sessions import fed_value

TAKES = 0.4
OF_ALL = 0.5
TIMES_USUAL = 4
FEWEST_ROWS = 64
PREDICTED = 0.25
"""A graph that needs less than this part of what was taken says that something else took it."""

ROLE = "memory"
YIELDS_TO = ("loop-keeps-tensors",)


def check(case: Case) -> Finding | None:
    act = act_of(case)
    if act is None or act.trains or not act.rows or act.grown_bytes < TAKES * own_bytes(case):
        return None
    usual = _usual_rows(case, act)
    if not (_is_batched_whole(act) if act.kind in KERAS else _is_far_more(case, act, usual)):
        return None
    need = need_of(case)
    if need is not None and (need.trains or need.peak_bytes < PREDICTED * act.grown_bytes):
        return None
    name = _name(case, act)
    certain = act.kind in KERAS or usual is not None
    certainty: Certainty = "certain" if certain else "likely"
    needed = need.of(act) if need else act.grown_bytes
    exceeds = need is not None and need.peak_bytes > act.grown_bytes
    free = f"{words.size(act.grown_bytes)} that was free"
    amount = f"{words.size(needed)}, more than the {free}" if exceeds else f"more than the {free}"
    before = f" (earlier calls had {usual:,})" if usual else ""
    fits = f"; {need.fits:,} at a time should fit (predicted)" if need and need.fits else ""
    return Finding(
        message=f"{prefix(act.place)}{_what(act)} gets all {act.rows:,} rows of `{name}` in one call{before}: that "
        f"needs {amount}{fits}",
        certainty=certainty,
        location=act.place,
        culprit=Culprit(
            kind="array",
            name=name,
            shape=list(act.shapes[0]) if act.shapes else None,
            bytes=needed,
            value=f"{act.rows} rows",
        ),
        evidence=[
            Evidence(fact="rows in this call", value=act.rows, source="CallBegan, InputsSeen"),
            *([Evidence(fact="rows in earlier calls", value=usual, source="InputsSeen")] if usual else []),
            *evidence_of(case, act, need),
        ],
        advice=[_batched(act, name, need)],
    )


def _is_batched_whole(act: Act) -> bool:
    return act.all_rows is not None and (act.rows or 0) >= max(FEWEST_ROWS, OF_ALL * act.all_rows)


def _is_far_more(case: Case, act: Act, usual: int | None) -> bool:
    rows = act.rows or 0
    if usual is not None:
        return rows >= TIMES_USUAL * usual and rows >= FEWEST_ROWS
    word = act.arguments[0] if act.arguments else "0"
    given = argument(case.sources, act.place, act.name, word)
    return rows >= FEWEST_ROWS and given is not None and "[" not in given


def _usual_rows(case: Case, act: Act) -> int | None:
    """Rows of the calls before, at other lines too; of a `fit` its batch."""
    kinds = {act.kind} if act.kind == "session" else {"call", "function", "batch"}
    rows = [one.shapes[0][0] for one in act.earlier if one.unit in kinds and one.shapes and one.shapes[0]]
    if act.kind in ON_BATCH:
        # The last record is that of this very call.
        rows = rows[:-1] if rows and rows[-1] == act.rows else rows
    if case.principal is not None and not rows:
        fits = [call for call in case.principal.all(CallBegan) if call.kind == "fit"]
        rows = [call.arguments.get("batch_size", 32) for call in fits]
    return round(statistics.median(rows)) if rows else None


def _what(act: Act) -> str:
    if act.kind == "call":
        return f"`{act.name}`, called directly,"
    if act.kind == "session":
        return "the session"
    return f"`{act.name if act.kind == 'function' else act.kind}`"


def _name(case: Case, act: Act) -> str:
    """What was passed, as the source writes it; of a feed the value."""
    if act.kind == "session":
        return fed_value(case.sources, act.place) or (act.arguments[0] if act.arguments else "the feed")
    word = act.arguments[0] if act.arguments else "0"
    if act.kind in KERAS or act.kind in ON_BATCH:
        return (
            argument(case.sources, act.place, act.kind, "x") or argument(case.sources, act.place, act.kind, "0") or "x"
        )
    return argument(case.sources, act.place, act.name, word) or "the input"


def _batched(act: Act, name: str, need: Need | None) -> str:
    rows = min(256, need.fits) if need and need.fits else 32
    if act.kind in ("predict", "evaluate"):
        return f"Use `{act.kind}(…, batch_size={rows})`."
    if act.kind == "session":
        return (
            f"Feed slices: `for i in range(0, len({name}), {rows})`, with `{name}[i:i + {rows}]`, and "
            "average the results."
        )
    model = act.name if act.kind == "function" else "model"
    if act.kind == "function":
        return f"Call `{model}` for slices `{name}[i:i + {rows}]` and combine the results."
    return f"Use `model.predict({name}, batch_size={rows})`, or call it for slices `{name}[i:i + {rows}]`."
