"""A step that was traced and not run, with all that is needed to say what it would take: this module is the only
description of its file. Written in the user's process, read by the parent; imports msgspec and nothing else.

A file `<run>/preflight/step.json` has a `TracedStep`; its table of ops stands beside it, see `op_table`. Where there
was no step to trace, `reason` says why.
"""

from __future__ import annotations

import msgspec

from whydied.errors import RecordingError
from whydied.graph.op_table import Dims

DIRECTORY = "preflight"
STEP_FILE = "step.json"
TABLE_FILE = "table.bin"
TRIAL_FILE = "trial"
TRIAL_WORD = "trial-"
"""With a number of rows behind it, among the words for the recorder: run so many rows and write the file after."""
VERSION = 1


class Fact(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A part of the file."""


class Place(Fact, frozen=True, kw_only=True):
    file: str
    line: int
    function: str = ""
    source: str = ""
    end_line: int | None = None


class Held(Fact, frozen=True, kw_only=True):
    """Where in the allocator a variable of the table lives."""

    variable: int
    address: int


class AllocatorState(Fact, frozen=True, kw_only=True):
    """What TensorFlow's CPU allocator has before the step. `free` are address and size of each free chunk,
    `next_region_bytes` is the size of what it asks the system for next; `unread` says which variables are not in
    `held`."""

    current_bytes: int
    peak_bytes: int
    free: list[tuple[int, int]] = []
    next_region_bytes: int = 0
    held: list[Held] = []
    unread: str = ""


class Calibration(Fact, frozen=True, kw_only=True):
    """Real steps of a tiny batch: the process's memory before and the most during them."""

    batch: int
    before_bytes: int
    peak_bytes: int


class MeasuredRun(Fact, frozen=True, kw_only=True):
    """Real steps of so many rows: the most that the allocator counted until then, and the most of the process."""

    rows: int
    peak_tensor_bytes: int
    peak_rss_bytes: int


class TracedStep(Fact, frozen=True, kw_only=True):
    """`kind` is the call that was intercepted ("fit", …, "function"); `batch` is what the program asks for. `feeding`
    tells where the data of a step come from: "pipeline" makes them ahead (`ready` batches are alive, that of the step
    included), "call" makes them at each call, "held" are there before. `inputs` are the shapes of the step's data with
    the batch open, `begun` whether a pipeline has already made its first batches. `kept_results` is true where each
    step's results stay until the end of the call. `eager` is true where Python runs the ops, one after the other;
    `results_stay` where names of the loop hold the step's results until the next step makes new ones. `partial` says
    what of the step is not in it. A step that could not be traced, because of `untraced`, was run with a few rows
    instead: `measured`, fewer rows first; there is no table then. `traced_rows` is the batch that the table was traced
    with, see `marked_batch`, and 0 where the trace leaves it open or has the program's own; then `fixed_because` says
    why. `uncounted` is true where TensorFlow's allocator was asked and does not count."""

    version: int = VERSION
    kind: str = ""
    place: Place | None = None
    reason: str = ""
    batch: int | None = None
    feeding: str = "pipeline"
    ready: int = 1
    begun: bool = False
    kept_results: bool = False
    eager: bool = False
    results_stay: bool = False
    partial: str = ""
    untraced: str = ""
    measured: list[MeasuredRun] = []
    inputs: list[Dims | None] = []
    input_dtypes: list[str] = []
    buffered_rows: int = 0
    allocator: AllocatorState | None = None
    uncounted: bool = False
    rss_bytes: int = 0
    most_rss_bytes: int = 0
    mapped_bytes: int = 0
    """Of `rss_bytes`, files: the code of libraries, which the kernel can drop and no limit counts for long."""
    optimizer: str = ""
    rows: int | None = None
    trace_s: float = 0.0
    """Seconds of the trace alone, without what TensorFlow makes of it."""
    spent_s: float = 0.0
    """Seconds of all that was done in the program's process for the estimate."""
    traced_rows: int = 0
    fixed_because: str = ""
    not_calibrated: str = ""
    calibration: Calibration | None = None


class TrialRun(Fact, frozen=True, kw_only=True):
    """Real steps of so many rows: whether they came to their end, and the most memory beside mapped files. Where the
    step failed for another reason than memory, `reason` has it."""

    rows: int
    ran: bool = False
    peak_bytes: int = 0
    reason: str = ""


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(TracedStep)
_trial_decoder = msgspec.json.Decoder(TrialRun)


def encode(step: TracedStep) -> bytes:
    return _encoder.encode(step)


def decode(data: bytes) -> TracedStep:
    try:
        return _decoder.decode(data)
    except msgspec.MsgspecError as error:
        raise RecordingError(f"the traced step is damaged: {error}") from error


def encode_trial(trial: TrialRun) -> bytes:
    return _encoder.encode(trial)


def decode_trial(data: bytes) -> TrialRun:
    try:
        return _trial_decoder.decode(data)
    except msgspec.MsgspecError as error:
        raise RecordingError(f"the result of a trial is damaged: {error}") from error
