"""What the recorder sees of values that are not finite, and what a replay found out. See `whydied.records`.

A captured step is a directory below the run's `numerics` directory: `step.json` is a `Capture`, `graph.pb` a GraphDef,
`lines.json` a `Lines`, and each value lies in an .npy file of its own. A replay adds `replay.json`, a `Replay`.
"""

from __future__ import annotations

from whydied.records.values import Frame, Important, Value


class Numbers(Value, frozen=True, kw_only=True):
    """A tensor in numbers. `least`, `greatest`, `mean` and `norm` are over its finite elements, None where there are
    none."""

    shape: list[int]
    dtype: str
    count: int
    nan: int = 0
    plus_infinity: int = 0
    minus_infinity: int = 0
    zeros: int = 0
    least: float | None = None
    greatest: float | None = None
    mean: float | None = None
    norm: float | None = None

    @property
    def nonfinite(self) -> int:
        return self.nan + self.plus_infinity + self.minus_infinity


class Suspect(Value, frozen=True, kw_only=True):
    """A value of the step that is not finite. `role` is "gradient", "loss", "update", "weight", "statistic", "metric",
    or "result" for what a run gives that changes no variable; `name` is that of the variable it belongs to, as the user
    knows it ("dense_1/kernel"), and `tensor` that of the tensor in the captured graph."""

    role: str
    name: str
    tensor: str = ""
    numbers: Numbers | None = None

    @property
    def shows_loss(self) -> bool:
        """Keras keeps the mean of the loss in a metric "loss": what was added to it at this step is the loss."""
        return self.role == "loss" or (self.role == "metric" and self.name.partition("/")[0] == "loss")


class FedValue(Value, frozen=True, kw_only=True):
    """What the step was given. `tensor` is its name in the captured graph ("data:0"), `name` what the user calls it
    ("x", "y", "x['image']"). `role` is "batch" for the data of the step and "other" for the rest. `file` is relative to
    the capture; None where the value was too large or could not be had, for which `reason` has the words. `rows` are
    the rows of the data set for the rows of the batch (-1 where one is not known), of the array `data_set`."""

    tensor: str
    name: str
    role: str
    shape: list[int]
    dtype: str
    file: str | None = None
    reason: str = ""
    rows: list[int] = []
    data_set: str = ""
    numbers: Numbers | None = None


class StateValue(Value, frozen=True, kw_only=True):
    """A variable of the step. `node` is the node of the captured graph that yields its handle. `role` is "weight",
    "slot", "statistic", "seed", "metric" or "other"; `moment` is "start" for its value at the start of the step,
    "later" for a value from within or after the step, "earlier" for one from `steps_before` steps before, "missing"
    for none."""

    node: str
    name: str
    role: str
    shape: list[int]
    dtype: str
    moment: str = "start"
    file: str | None = None
    reason: str = ""
    layer: str = ""
    steps_before: int = 0
    numbers: Numbers | None = None


class NodeLine(Value, frozen=True, kw_only=True):
    """Where a node of a captured graph was made: the user's frames, innermost last; the layer that made it, and the
    line that made the layer."""

    frames: list[Frame] = []
    layer: str = ""
    layer_made: Frame | None = None


class Lines(Value, frozen=True, kw_only=True):
    """By the name of the function ("" for the outermost graph) and the name of the node."""

    functions: dict[str, dict[str, NodeLine]] = {}


class CapturedRun(Value, frozen=True, kw_only=True):
    """A run of a session with what it was fed. `at` is its number among the runs of the session that train, `step` the
    one among those of its own fetch; `tops` are the ops that it executes, with all that they need; `losses` and
    `updates` are tensors whose values are of interest."""

    at: int
    tops: list[str]
    fed: list[FedValue] = []
    losses: list[str] = []
    updates: list[str] = []
    step: int | None = None


class Capture(Value, frozen=True, kw_only=True):
    """A step, with all that is needed to run it again: `step.json`.

    `kind` is "traced", "session" or "eager". `targets` are the tensors whose values are of interest, in the order of
    the step (loss before gradients before updates); only what they need is executed again. `missing` says in sentences
    which state could not be had."""

    kind: str
    suspects: list[Suspect]
    graph: str = "graph.pb"
    lines: str = "lines.json"
    function: str = ""
    fed: list[FedValue] = []
    state: list[StateValue] = []
    targets: list[str] = []
    missing: list[str] = []
    versions: dict[str, str] = {}
    recorded_step: int | None = None
    """Of an eager step: the number of the step from which its list of ops was recorded, where it is another one."""
    runs: list[CapturedRun] = []
    """Of a session whose bad run is not known: the runs since the variables were last read, as far as what they were
    fed is still there. The last of them is the one that `fed` and `targets` are of."""
    runs_from: int = 0
    """The number of the run before which the variables were read."""
    losses: list[str] = []
    """Those of the targets that are losses, where that is known."""
    slots: list[StateValue] = []
    """What those runs read beside `state`: the variables of the optimizer."""


class StepCaptured(Important, frozen=True, kw_only=True):
    """The first step with a value that is not finite was written to `directory`, relative to the run's. `step` counts
    the steps of `function` in this process from zero, None where that is not known; `call` is the number of the call
    into Keras that is open. `kind` is as in `Capture`; `late` says in words how much later than it happened it was
    noticed, "" where at once; `stopped` that the program was stopped for it."""

    directory: str
    kind: str
    suspects: list[Suspect]
    function: str = ""
    frames: list[Frame] = []
    step: int | None = None
    epoch: int | None = None
    call: int | None = None
    missing: list[str] = []
    size_bytes: int = 0
    late: str = ""
    stopped: bool = False


class NormsSeen(Important, frozen=True, kw_only=True):
    """Norms of the gradients over the last steps of a function: `norms[i][j]` is that of variable `names[j]` at step
    `steps[i]`. `moment` is "capture", "end" or "sample"; `losses` are the losses of the same
    steps where they are known, `scale` is the loss scale of mixed precision."""

    function: str
    names: list[str]
    steps: list[int]
    norms: list[list[float]]
    moment: str
    of: str = "gradient"
    """What `norms` are of: "gradient"; "update" where only what is subtracted is seen; "weight" where only that is."""
    weights: list[float | None] = []
    """Norms of the weights at that moment, None where the value could not be read."""
    losses: list[float] = []
    scale: float | None = None
    learning_rate: float | None = None
    first_learning_rate: float | None = None
    """What a schedule of learning rates began with."""
    frames: list[Frame] = []
    optimizer_made: Frame | None = None
    """The line that made the optimizer."""


class LossesSeen(Important, frozen=True, kw_only=True):
    """The losses of a function that trains, from its first step on, with the norm of all gradients at each, where it is
    seen. `number` counts what was watched in a process, so that two functions of one name are told apart; the longest
    record of a number holds the others. `latest` are the last ones, at `latest_steps`, where they are known only at the
    end: of the runs of a session."""

    function: str
    number: int
    losses: list[float]
    norms: list[float] = []
    latest: list[float] = []
    latest_steps: list[int] = []


class OpInput(Value, frozen=True, kw_only=True):
    """An input of an op of a replay. `origin` is "batch", "variable", "constant" or "op", and `name` that of the fed
    value, the variable or the node. `at_bad` are its values at the first bad elements of the output, as text, where the
    two have elements in common."""

    origin: str
    name: str
    numbers: Numbers | None = None
    at_bad: list[str] = []
    made_by: str = ""
    """The op that made the value, before what leaves values as they are, and its line."""
    made_at: NodeLine | None = None
    divides: bool = False
    """Whether the step divides by that value elsewhere."""


class FoundOp(Value, frozen=True, kw_only=True):
    """An op of a replay. `phase` is "forward", "backward" or "update"; `path` the functions around it, outermost first;
    `bad` the positions of the first elements that are not finite; `forward` the op that one of the backward pass
    differentiates, where it is known."""

    op: str
    node: str
    phase: str
    path: list[str] = []
    line: NodeLine | None = None
    inputs: list[OpInput] = []
    output: Numbers | None = None
    bad: list[list[int]] = []
    forward: str = ""
    why: str = ""
    """What of its inputs made the result infinite, where an op has a rule of its own for that."""


class Blame(Value, frozen=True, kw_only=True):
    """Where the first value that is not finite comes from. `kind` is "data" (values of the batch that are not finite
    themselves), "rows" (finite rows that take an op out of its domain), "weight" (a variable that was not finite at the
    start), "weights" (finite weights whatever the rows), "constant", "op" (neither rows nor weights alone), "precision"
    (finite in a wider type). `rows` and `columns` are those of the batch, `data_set_rows` the same rows in the data
    set; `tried` says that the step was run again with other rows or values in their place, and was finite."""

    kind: str
    name: str = ""
    rows: list[int] = []
    row_count: int = 0
    batch_rows: int = 0
    columns: list[int] = []
    data_set: str = ""
    data_set_rows: list[int] = []
    values: list[str] = []
    tried: bool = False
    words: str = ""


class Link(Value, frozen=True, kw_only=True):
    """One step of the way from the source to the symptom. `kind` is "data", "weight", "op", "gradient", "loss" or
    "update"; `words` is a short sentence with values."""

    kind: str
    words: str
    name: str = ""
    line: NodeLine | None = None
    numbers: Numbers | None = None


class Level(Value, frozen=True, kw_only=True):
    """How large what a layer gave was; without a layer, the batch."""

    largest: float
    layer: str = ""
    line: NodeLine | None = None


class Descent(Value, frozen=True, kw_only=True):
    """What a few steps of gradient descent from weights of ordinary size have shown, on the batch of the step: `rate`
    is the largest power of ten at which the loss fell, None where it fell at none. `scaled` are the values of the batch
    that are far from one, and `scaled_rate` is the same with them scaled. `signed` says that the steps went by the sign
    of the gradients, as those of Adam do; `tried` that there was time for all rates; `rows` are those of the batch."""

    rate: float | None = None
    scaled_rate: float | None = None
    scaled: list[str] = []
    signed: bool = False
    tried: bool = True
    rows: int = 0


class RanOn(Value, frozen=True, kw_only=True):
    """How the bad run of a session was reached, from the variables as they were last read. `at` is the run (as in
    `CapturedRun`), `runs` how many were executed before it, `step` its number among those of its fetch, None where that
    is not known; `exact` says that none was left out and none drew random numbers, so that the values are those of the
    program."""

    at: int
    runs: int
    step: int | None = None
    exact: bool = False


class Replay(Value, frozen=True, kw_only=True):
    """What running a captured step again has shown: `replay.json`. `status` is "reproduced", "finite" (the values did
    not come again) or "failed", with the reason. `executed` says in words what was run."""

    directory: str
    status: str
    reason: str = ""
    executed: str = ""
    first: FoundOp | None = None
    blame: Blame | None = None
    chain: list[Link] = []
    ops: int = 0
    wall_s: float = 0.0
    levels: list[Level] = []
    """Of a value that overflowed in the forward pass, the way that it grew on: from the batch through the layers."""
    before: FoundOp | None = None
    """Of a weight that was bad at the start: an op of a step before that was bad and depends on the number of the step
    alone, such as one of a schedule of learning rates."""
    draws: int = 0
    """How often random numbers were drawn once more until the values came again."""
    descent: Descent | None = None
    """Of a step whose values grew too large: at which learning rate its loss falls."""
    ran_on: RanOn | None = None
    """Of a session whose bad run was not known: the runs that were executed until it came."""
    near: FoundOp | None = None
    """Of a step that was finite: the op whose argument is nearest to the edge of its domain, and unguarded."""
