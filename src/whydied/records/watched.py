"""What the recorder sees of assertions and of tensors that are watched by name, and what it is told to look for. See
`whydied.records`."""

from __future__ import annotations

from whydied.records.numerics import Numbers
from whydied.records.values import Frame, Important, Record, Value


class LayerCheck(Value, frozen=True, kw_only=True):
    """A check of the outputs of layers, from the configuration. `kind` is "finite", "range", "bytes", "rank" or
    "shape"; the bounds are those of "range", `most` that of "bytes" and "rank", `shape` the text of "shape"."""

    kind: str
    low: float | None = None
    high: float | None = None
    most: int = 0
    shape: str = ""
    text: str = ""


class LayerChecks(Value, frozen=True, kw_only=True):
    """The checks of the layers whose name fits `glob`."""

    glob: str
    checks: list[LayerCheck]


class Wishes(Value, frozen=True, kw_only=True):
    """What the recorder is to look for, beyond what it does by itself: `wishes.json` in the run's directory. `watch`
    are globs of layers whose tensors are logged every `watch_every` steps; `watch_directory` is where event files go,
    "" for the run's own. `backup` is where the state of each `fit` is kept for another run, seen
    from the run's directory, "" for nowhere."""

    asserts: list[LayerChecks] = []
    watch: list[str] = []
    watch_every: int = 50
    watch_directory: str = ""
    backup: str = ""


class AssertionPlaced(Important, frozen=True, kw_only=True):
    """An assertion became part of a graph. `head` is how the message begins that it fails with; `frames` are the
    user's lines of the assertion, innermost last, and `made` those of what it looks at."""

    check: str
    name: str
    head: str
    expected: str
    source: str = ""
    frames: list[Frame] = []
    made: list[Frame] = []
    layer: str = ""


class AssertionFailed(Important, frozen=True, kw_only=True):
    """An assertion failed, in code that runs eagerly. `positions` are the first bad elements, `rows` the first rows
    that have any, `row_count` the number of all of these, `values` the bad elements as text."""

    check: str
    name: str
    message: str
    expected: str
    actual: str
    source: str = ""
    frames: list[Frame] = []
    made: list[Frame] = []
    layer: str = ""
    shape: list[int] = []
    dtype: str = ""
    count: int = 0
    positions: list[list[int]] = []
    rows: list[int] = []
    row_count: int = 0
    values: list[str] = []


class TensorLogged(Record, frozen=True, kw_only=True):
    """A watched tensor at one step. `role` is "output", "weight", "gradient" or "log" (`whydied.log`). `counts[i]` are
    the finite elements from `edges[i]` to `edges[i + 1]`. `step` counts the uses of this tensor from one."""

    name: str
    role: str
    step: int
    numbers: Numbers
    edges: list[float] = []
    counts: list[int] = []
