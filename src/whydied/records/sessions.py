"""What a TensorFlow 1 session, its graph and its saver were at an exception. See `whydied.records`.

One `SessionFacts` belongs to one link of the chain of an `ExceptionRaised` of the same process and is written before
it. It holds what was seen, and no verdict.
"""

from __future__ import annotations

from whydied.records.errors import Party, ValueSource
from whydied.records.values import Frame, Important, Value


class GraphNode(Value, frozen=True, kw_only=True):
    """A tensor or op of a graph. `name` is its node's, `op` the type of that, `text` how the failing code writes it,
    `made` the lines of the user's that were at work when it was made, outermost first."""

    name: str
    op: str = ""
    text: str = ""
    shape: list[int | None] | None = None
    dtype: str | None = None
    made: list[Frame] = []
    in_thread: bool = False
    """Whether it was made in a thread that was started."""


class Fed(Value, frozen=True, kw_only=True):
    """One entry of a feed. `type` is that of the key, `node` what it stands for in a graph, None where it stands for
    nothing; `foreign` says that this is another graph than the session's. `tensor` is a tensor in the place of a value,
    `written` the line of the entry, `used` whether a fetch depends on it, `near` are placeholders named like it.
    `writer` is the op of this run that writes the variable which is fed."""

    text: str = ""
    type: str = ""
    node: GraphNode | None = None
    foreign: bool = False
    used: bool | None = None
    value: Party
    tensor: GraphNode | None = None
    near: list[str] = []
    written: Frame | None = None
    writer: GraphNode | None = None


class Fetched(Value, frozen=True, kw_only=True):
    """One thing that was asked for. `type` is Python's; `value` a number in the place of a tensor, `near` are ops with
    names like one that the graph does not have, `sources` where something that is not of a graph came from. `unfed` are
    the placeholders without a value that it depends on, `free` the parts of a merged summary that depend on none."""

    text: str = ""
    type: str = ""
    node: GraphNode | None = None
    foreign: bool = False
    value: str | None = None
    near: list[str] = []
    sources: list[ValueSource] = []
    unfed: list[str] = []
    free: list[GraphNode] = []


class Assigning(Value, frozen=True, kw_only=True):
    """A run of an op that gives variables, tables or iterators their values: in this session (`here`) or in another of
    the same graph; `covers` says that what has no value is among them, `older` that the op was made before that,
    `failed` that this is the run which failed. `frame` is the line that ran it, `made` the one that made the op."""

    node: str
    frame: Frame | None = None
    made: Frame | None = None
    failed: bool = False
    here: bool = True
    covers: bool = False
    older: bool = False
    variables: int = 0


class Blank(Value, frozen=True, kw_only=True):
    """A variable, table or iterator without a value; `collections` are those of the graph that hold it."""

    node: GraphNode
    collections: list[str] = []
    runs: list[Assigning] = []


class Unsaved(Value, frozen=True, kw_only=True):
    """A variable that a checkpoint does not have, or has with another shape (`stored`). `near` are names in the
    checkpoint, each of the same shape, that the variable may go by; `twin` is the variable whose name it would have if
    the graph did not have that already."""

    node: GraphNode
    stored: list[int | None] | None = None
    near: list[str] = []
    twin: GraphNode | None = None


class SessionFacts(Important, frozen=True, kw_only=True):
    """`link` is the index of the exception in the chain. `session` is the session as the source writes it, `opened` its
    line. `graph` and `graph_made` are the graph that holds what the session's does not. `way` leads from a fetch to the
    placeholder that was not fed. `call` is "run", or "restore" or "save" of a saver, whose variables `variables`
    counts; `path` is its checkpoint, `stored` how many names that has. `in_thread` says that it was in a thread that
    the program started."""

    link: int = 0
    call: str = "run"
    place: Frame | None = None
    session: str = ""
    opened: Frame | None = None
    closed: bool = False
    graph: str = ""
    operations: int | None = None
    fetches: list[Fetched] = []
    feeds: list[Fed] = []
    unfed: list[GraphNode] = []
    way: list[GraphNode] = []
    blank: Blank | None = None
    path: str = ""
    variables: int = 0
    stored: int = 0
    unsaved: list[Unsaved] = []
    in_thread: bool = False


class Resized(Value, frozen=True, kw_only=True):
    """A reshape or a variable of a graph with the sizes that it has (a reshape its target), and those with which it
    takes what arrives."""

    node: GraphNode
    was: list[int | None] = []
    now: list[int | None] = []


class GraphTried(Important, frozen=True, kw_only=True):
    """The graph of a run that failed, built again in a copy of the process with placeholders of the shapes that were
    fed, and with other sizes where they must be (`resized`, in the order of the graph). `fits` says that all of it can
    be built then; else `at` is the op that cannot. `crossed` is an op whose two operands have one shape in the program,
    and then fit by broadcasting only."""

    link: int = 0
    fits: bool
    resized: list[Resized] = []
    at: GraphNode | None = None
    crossed: GraphNode | None = None


class VariableTaken(Important, frozen=True, kw_only=True):
    """A variable was to be made under a name that its graph has already. `first` is the one that has it, `shape` that
    of the second, `runs` how many runs of sessions the graph has seen since."""

    link: int = 0
    first: GraphNode
    shape: list[int | None] | None = None
    runs: int = 0


class OwnedTensor(Value, frozen=True, kw_only=True):
    """A tensor with the graph that it is in, as the failing code can write it (`self.graph`, `sess.graph`), "" where it
    has no name there. `in_thread` says that it was made in a thread that the program started."""

    node: GraphNode
    graph: str = ""
    in_thread: bool = False


class GraphsMixed(Important, frozen=True, kw_only=True):
    """An op was to take tensors of two graphs; a single one is not in the default graph. `in_thread` says that it was
    in a thread that the program started."""

    link: int = 0
    place: Frame | None = None
    in_thread: bool = False
    tensors: list[OwnedTensor] = []


class CheckpointSought(Important, frozen=True, kw_only=True):
    """A checkpoint that was not found at `path`. `folder` is the directory that was listed, "" where there is none,
    `found` the checkpoints in it, the newest first."""

    link: int = 0
    path: str
    is_directory: bool = False
    folder: str = ""
    found: list[str] = []
