"""What the recorder sees of memory: a census, graphs, and what the program makes. See `whydied.records`."""

from __future__ import annotations

from whydied.records.values import Frame, Important, Record, Value


class Holder(Value, frozen=True, kw_only=True):
    """Who keeps a group of objects alive, named as in the source: `tensors`, `self.debug`, `history['loss']`.

    `root` is "local", "global", "attribute", "closure", "callback", "library" or "unknown", and in a notebook "output"
    (`Out[3]`), "traceback" (a variable of a frame of the last traceback) or "figure" (of pyplot); `also` are names of
    the last three sorts under which a notebook keeps the same. `container` is the type
    that holds them directly and `length` its length. `file`, `line` and `function` are those of the frame, function,
    class or module to which the name belongs; `share` is the part of the group's sampled
    objects that this holder reaches."""

    path: str
    root: str
    container: str = ""
    length: int | None = None
    file: str = ""
    line: int = 0
    function: str = ""
    share: float = 1.0
    reached: str = ""
    also: list[str] = []


class ObjectGroup(Value, frozen=True, kw_only=True):
    """Live objects of one type, shape and dtype. `kind` is "tensor", "variable", "array", "model", "graph", "session",
    "dataset", "optimizer", "tape", "file" (an open one), "container", "text" or "object"; `copies` names those of the
    group that have the contents of another object, `originals` that other one for each of them, and `copies_of` the
    first of these. An `estimated` group was counted from a sample."""

    kind: str
    type: str
    count: int
    size_bytes: int
    shape: list[int | None] | None = None
    dtype: str | None = None
    holders: list[Holder] = []
    copies_of: str | None = None
    copies: list[str] = []
    originals: list[str] = []
    estimated: bool = False


class ViewsHeld(Value, frozen=True, kw_only=True):
    """Arrays of one form in a container that all show the memory of one array, `of`, as the source writes it where that
    is known, and together more than it holds: `shown_bytes` is what a copy of all of them takes."""

    path: str
    number: int
    shape: list[int]
    dtype: str
    shown_bytes: int
    of_bytes: int
    of: str = ""


class GraphAddition(Value, frozen=True, kw_only=True):
    """A line of the user's that added ops to a graph: how many of those looked at, and the bytes of their constants."""

    file: str
    line: int
    function: str
    operations: int
    constant_bytes: int = 0


class CensusTaken(Important, frozen=True, kw_only=True):
    """The large live objects of the process, and who holds them. `trigger` is a milestone ("75 % of the limit"),
    "growth", "peek", "exception" or "low memory" (before the warning in a notebook); `complete` is false where the time
    for the walk from the program's names ran out; `python_bytes` is the sum over all groups, also those too small to be
    listed; `objects` is the number of blocks of Python's allocator, which is about the number of objects."""

    trigger: str
    rss_bytes: int
    groups: list[ObjectGroup]
    complete: bool = True
    wall_s: float = 0.0
    python_bytes: int = 0
    allocator_bytes: int | None = None
    objects: int = 0
    graph_operations: int | None = None
    sessions: int | None = None
    views: list[ViewsHeld] = []


class AllocatorFound(Important, frozen=True, kw_only=True):
    """Which allocator TensorFlow uses on the CPU, and what its numbers mean (`counts` is "chunks" or "nothing")."""

    name: str
    counts: str
    reason: str = ""


class GraphRecorded(Important, frozen=True, kw_only=True):
    """The table of ops of a traced function was written to `file` below the run's `graphs` directory."""

    function: str
    file: str
    operations: int
    wall_s: float = 0.0


class SessionOpened(Important, frozen=True, kw_only=True):
    """A v1 session was made, at a bounded rate; `count` is how many so far, `open` how many live and are not closed."""

    count: int
    open: int
    frames: list[Frame] = []


class VariablesMade(Important, frozen=True, kw_only=True):
    """A line made `tf.Variable`s outside of Keras, at a bounded rate; `count` and `size_bytes` are those of the line so
    far. `resizable` says that the shape was left open, so that a later value may be larger than the first."""

    count: int
    size_bytes: int
    frames: list[Frame] = []
    resizable: bool = False


class ConstantMade(Important, frozen=True, kw_only=True):
    """A large array became a constant of a graph."""

    size_bytes: int
    frames: list[Frame]
    shape: list[int | None] | None = None
    dtype: str | None = None


class DatasetMade(Important, frozen=True, kw_only=True):
    """A `tf.data` stage that holds elements was made. `kind` is "shuffle", "cache", "prefetch", "map", one that makes
    several calls at a time, or "tensors": what `from_tensor_slices` got in a function of `interleave`. `buffer_size`
    and `elements` count elements of the stage (None where unknown or without end), `element_bytes` is the size of one.
    `copies` is how many of it an `interleave` around it has open."""

    kind: str
    frames: list[Frame]
    buffer_size: int | None = None
    elements: int | None = None
    element_bytes: int | None = None
    element_spec: str = ""
    copies: int = 1


class LayerOutput(Value, frozen=True, kw_only=True):
    """What one layer gives for one row: how many numbers, of so many bytes."""

    type: str
    elements: int
    item_bytes: int = 4


class LayersPlanned(Important, frozen=True, kw_only=True):
    """The outputs of the layers of a model that is called eagerly under a gradient tape, in the order of the model."""

    model: str
    layers: list[LayerOutput]


class BatchChosen(Important, frozen=True, kw_only=True):
    """A `tf.data` pipeline was told to put so many elements into a batch. `method` is `batch` or `padded_batch`."""

    rows: int
    method: str
    frames: list[Frame]


class InputsSeen(Record, frozen=True, kw_only=True):
    """What a call got, when it differs from what the calls before at that place got. `unit` is "call" (a model called
    eagerly), "function", "session", "batch" (`train_on_batch` and its kin) or "generator" (an element that Python gave
    to `tf.data`); `count` is the number of calls so far; `arguments` are the positions or names of the `shapes`;
    `taped` says whether a gradient tape was recording."""

    unit: str
    count: int
    shapes: list[list[int]]
    size_bytes: int
    name: str = ""
    arguments: list[str] = []
    taped: bool = False
    frames: list[Frame] = []


class WeightMade(Important, frozen=True, kw_only=True):
    """A Keras layer asked for a large weight; written before it is made. `built` is the line that constructed the
    layer, `total_bytes` the sum of all weights so far, small ones included."""

    layer: str
    type: str
    shape: list[int]
    dtype: str
    size_bytes: int
    total_bytes: int
    weight: str = ""
    built: Frame | None = None
    frames: list[Frame] = []


class MemoryGuarded(Important, frozen=True, kw_only=True):
    """The memory guard of the whole program is on: what would not fit is refused, and the program is stopped before the
    kernel would kill it (see `MemoryWarned`)."""
