"""Hand-built steps that went wrong, for the tests of the rules NUM: a run in a line or two, no files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.unit.diagnose.case_of import FILE, recording_of
from whydied.diagnose.case import Case
from whydied.read.steps import Taken
from whydied.records import (
    Blame,
    CallBegan,
    Capture,
    FedValue,
    FoundOp,
    Frame,
    Link,
    NodeLine,
    NormsSeen,
    Numbers,
    OpInput,
    Record,
    Replay,
    StateValue,
    StepCaptured,
    Suspect,
)
from whydied.source.text import Source

DIRECTORY = "numerics/4242-0"
SOURCE = """import numpy as np

raw = np.load("raw.npy")
x = (raw - raw.mean(0)) / raw.std(0)
y = np.load("y.npy")
bad = model.layers[0]
optimizer = keras.optimizers.SGD(learning_rate=10.0)
model.compile(optimizer=optimizer)
model.load_weights("w.h5")
model.fit(x, y, batch_size=32)
history["loss"]
if np.isnan(loss):
    raise ValueError("training went wrong")
"""
FIT_LINE, WARNED_LINE, OPTIMIZER_LINE, LOAD_LINE, RAISE_LINE = 10, 4, 7, 9, 13


def user_frame(line: int, function: str = "<module>") -> Frame:
    return Frame(file=FILE, line=line, function=function, user=True)


def numbers(nan: int = 0, infinite: int = 0, *, shape: Sequence[int] = (), **fields: Any) -> Numbers:
    count = 1
    for size in shape:
        count *= size
    given: dict[str, Any] = {"shape": list(shape), "dtype": "float32", "count": count, "nan": nan}
    return Numbers(**{**given, "plus_infinity": infinite, **fields})


def captured(*suspects: Suspect, **fields: Any) -> StepCaptured:
    bad = list(suspects) or [
        Suspect(role="loss", name="loss", numbers=numbers(1)),
        Suspect(role="gradient", name="dense/kernel", numbers=numbers(12, shape=(32,))),
    ]
    given: dict[str, Any] = {"directory": DIRECTORY, "kind": "traced", "suspects": bad, "step": 47, "call": 1}
    return StepCaptured(**{**given, "frames": [user_frame(FIT_LINE)], **fields})


def fed(bad: int = 0, **fields: Any) -> FedValue:
    given: dict[str, Any] = {"tensor": "data:0", "name": "x", "role": "batch", "shape": [32, 8], "dtype": "float32"}
    rows = [1497 + row for row in range(32)]
    return FedValue(**{**given, "rows": rows, "data_set": "x", "numbers": numbers(bad, shape=(32, 8)), **fields})


def weight(name: str = "dense/kernel", **fields: Any) -> StateValue:
    given: dict[str, Any] = {"node": f"{name}/handle", "name": name, "role": "weight", "shape": [8, 4]}
    return StateValue(**{**given, "dtype": "float32", "numbers": numbers(shape=(8, 4)), **fields})


def op(kind: str = "Log", at: str = "0.0", *, line: int | None = 6, phase: str = "forward", **fields: Any) -> FoundOp:
    inputs = [OpInput(origin="op", name="clip", numbers=numbers(shape=(32, 4), least=0.0, greatest=1.0), at_bad=[at])]
    made = NodeLine(frames=[user_frame(line, "call")] if line else [user_frame(FIT_LINE)], layer="badlog")
    given: dict[str, Any] = {"op": kind, "node": f"model/{kind}", "phase": phase, "line": made, "inputs": inputs}
    return FoundOp(**{**given, "output": numbers(0, 1, shape=(32, 4)), **fields})


def rows(*bad: int, **fields: Any) -> Blame:
    given: dict[str, Any] = {"kind": "rows", "name": "x", "rows": list(bad), "row_count": len(bad), "batch_rows": 32}
    return Blame(**{**given, "tried": True, **fields})


def again(blame: Blame | None = None, first: FoundOp | None = None, **fields: Any) -> Replay:
    chain = [Link(kind="op", words="log(0) = -inf at [3, 1]", line=first.line if first else None)]
    given: dict[str, Any] = {"directory": DIRECTORY, "status": "reproduced", "first": first or op(), "blame": blame}
    return Replay(**{**given, "chain": chain, **fields})


def norms(*totals: float, **fields: Any) -> NormsSeen:
    """The norms of two gradients, of which the first is nearly all."""
    rows_of = [[0.9 * total, 0.1] for total in totals]
    given: dict[str, Any] = {"function": "", "names": ["lstm/kernel", "dense/bias"], "norms": rows_of}
    return NormsSeen(**{**given, "steps": list(range(len(totals))), "moment": "capture", **fields})


def bad_step(
    *records: Record,
    step: StepCaptured | None = None,
    capture: Capture | None = None,
    replay: Replay | None = None,
    exit_code: int = 0,
    source: str = SOURCE,
    after: Sequence[Record] = (),
) -> Case:
    """A run of `SOURCE` whose fit was captured; `records` come before the capture and `after` after it."""
    call = CallBegan(call=1, kind="fit", frames=[user_frame(FIT_LINE)])
    taken_step = step or captured()
    recording = recording_of(process=[call, *records, taken_step, *after], exit_code=exit_code)
    recording.taken = {DIRECTORY: Taken(capture or given(fed(), weight()), replay)}
    recording.sources[FILE] = Source(source)
    return Case(recording)


def given(*values: FedValue | StateValue) -> Capture:
    return Capture(
        kind="traced",
        suspects=[],
        fed=[value for value in values if isinstance(value, FedValue)],
        state=[value for value in values if isinstance(value, StateValue)],
    )
