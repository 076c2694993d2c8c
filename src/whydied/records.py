"""The vocabulary: every fact that a run can record, frozen and versioned.

Runs in every process of ours, the user's included, so it imports msgspec and nothing else.

A record is a past fact (`ProcessBegan`, `StepBegan`); units stand in the names. A record is written as a map of its
fields, so a field may be added with a default at any time and never renamed, retyped or removed: recordings of every
older version stay readable. A kind that a reader does not know is counted and passed over.
"""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec


class Value(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A part of a record."""


class Local(Value, frozen=True, kw_only=True):
    """A variable of a frame: what it is, never what it holds."""

    name: str
    type: str
    shape: list[int | None] | None = None
    dtype: str | None = None
    size_bytes: int | None = None
    length: int | None = None


class Frame(Value, frozen=True, kw_only=True):
    """A line that was running. `user` is true outside installed packages and the standard library."""

    file: str
    line: int
    function: str
    user: bool = False
    source: str = ""
    end_line: int | None = None
    locals: list[Local] = []


class Operand(Value, frozen=True, kw_only=True):
    """A part of the failing expression, as the source writes it, with its value where that is a plain scalar."""

    text: str
    type: str
    value: str | None = None
    length: int | None = None
    shape: list[int | None] | None = None
    dtype: str | None = None


class RaisedException(Value, frozen=True, kw_only=True):
    """One link of an exception chain, the frames outermost first.

    `link` says how the next link of the chain (its cause) is tied to it: "cause" (raise … from), "context" (raised
    while handling) or "" at the end. `wanted` and `near` are the missed name, key, file or module and what exists
    like it.
    """

    type: str
    module: str
    message: str
    frames: list[Frame] = []
    link: str = ""
    notes: list[str] = []
    errno: int | None = None
    filename: str | None = None
    wanted: str | None = None
    wanted_in: str | None = None
    near: list[str] = []
    operands: list[Operand] = []


class ProcessSample(Value, frozen=True, kw_only=True):
    """One process of the tree at one moment. Bytes by kind are None where the system does not tell them."""

    pid: int
    ppid: int
    name: str
    state: str
    rss_bytes: int
    anon_bytes: int | None = None
    file_bytes: int | None = None
    shmem_bytes: int | None = None
    swap_bytes: int | None = None
    threads: int = 1
    cpu_s: float = 0.0


class Holder(Value, frozen=True, kw_only=True):
    """Who keeps a group of objects alive, named as in the source: `tensors`, `self.debug`, `history['loss']`.

    `root` is "local", "global", "attribute", "closure", "callback", "library" or "unknown"; `container` is the type
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


class ObjectGroup(Value, frozen=True, kw_only=True):
    """Live objects of one type, shape and dtype. `kind` is "tensor", "variable", "array", "model", "graph", "session",
    "dataset", "optimizer", "container", "text" or "object"; `copies_of` names an object with the same contents as those
    of the group that `copies` names."""

    kind: str
    type: str
    count: int
    size_bytes: int
    shape: list[int | None] | None = None
    dtype: str | None = None
    holders: list[Holder] = []
    copies_of: str | None = None
    copies: list[str] = []


class GraphAddition(Value, frozen=True, kw_only=True):
    """A line of the user's that added ops to a graph: how many of those looked at, and the bytes of their constants."""

    file: str
    line: int
    function: str
    operations: int
    constant_bytes: int = 0


class DeviceProcess(Value, frozen=True, kw_only=True):
    """A process that holds memory of a GPU. `ours` is None where a container hides whose the number is."""

    pid: int
    used_bytes: int | None = None
    kind: str = "compute"
    name: str = ""
    user: str = ""
    command: str = ""
    age_s: float | None = None
    ours: bool | None = None


class Neighbour(Value, frozen=True, kw_only=True):
    """A process outside of the program. `cpu_cores` is the processor time it used since the look before, in cores;
    `same_group` says whether the program's memory limit counts it too."""

    pid: int
    name: str
    rss_bytes: int
    user: str = ""
    command: str = ""
    age_s: float | None = None
    cpu_cores: float | None = None
    same_group: bool | None = None


class Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A fact. `IMPORTANT` ones go to the lane that rotation spares longest."""

    IMPORTANT: ClassVar[bool] = False


class Important(Record, frozen=True, kw_only=True, omit_defaults=True):
    IMPORTANT: ClassVar[bool] = True


# What the parent sees.


class RunStarted(Important, frozen=True, kw_only=True):
    """The first record of a run, and the anchor of its clock: `wall_time_s` is the time of day of this record."""

    run_id: str
    argv: list[str]
    cwd: str
    wall_time_s: float
    boot_id: str
    supervisor_pid: int
    whydied_version: str
    supervisor: str = "run"
    name: str | None = None
    labels: dict[str, str] = {}
    hostname: str = ""
    system: str = ""
    cpus: int = 0
    memory_total_bytes: int = 0
    swap_total_bytes: int = 0
    timeout_s: float | None = None
    runs_fallback: str | None = None


class ProgramStarted(Important, frozen=True, kw_only=True):
    pid: int
    argv: list[str]
    stdio: dict[str, str] = {}


class ProgramNotStarted(Important, frozen=True, kw_only=True):
    """The program could not be started at all: no such file, no permission, no such command."""

    reason: str
    wanted: str
    near: list[str] = []


class LimitApplied(Important, frozen=True, kw_only=True):
    """The memory limit that holds for the program. `kind` is "cgroup v1", "cgroup v2", "watched" or "machine"; `ours`
    says whether `--memory-limit` made it; `reason` says why a watched limit stands in for a cgroup."""

    kind: str
    limit_bytes: int
    ours: bool = False
    path: str | None = None
    reason: str | None = None


class OomCounted(Important, frozen=True, kw_only=True):
    """OOM-kill counters, read before the start and after the end. `scope` is "cgroup" (with its path) or "machine"."""

    moment: str
    scope: str
    kills: int
    path: str | None = None
    peak_bytes: int | None = None
    limit_bytes: int | None = None
    fail_count: int | None = None


class RlimitsSeen(Important, frozen=True, kw_only=True):
    """Resource limits of the program's first process, when first seen and when they change. None is unlimited."""

    cpu_soft_s: int | None = None
    cpu_hard_s: int | None = None
    address_space_bytes: int | None = None
    data_bytes: int | None = None
    file_size_bytes: int | None = None
    stack_bytes: int | None = None
    open_files: int | None = None
    processes: int | None = None


class MachineSampled(Record, frozen=True, kw_only=True):
    """One look from outside, about ten times a second."""

    processes: list[ProcessSample]
    cgroup_bytes: int | None = None
    cgroup_limit_bytes: int | None = None
    cgroup_oom_kills: int | None = None
    available_bytes: int | None = None
    swap_free_bytes: int | None = None
    memory_pressure_some: float | None = None
    memory_pressure_full: float | None = None
    cpu_pressure_some: float | None = None
    io_pressure_full: float | None = None
    disk_free_bytes: int | None = None
    shm_free_bytes: int | None = None
    load_1m: float | None = None


class ImportantSample(Important, frozen=True, kw_only=True):
    """A sample of each minute, kept when rotation drops its neighbours."""

    sample: MachineSampled


class GpuFound(Important, frozen=True, kw_only=True):
    """A GPU, as NVML tells it."""

    index: int
    name: str
    total_bytes: int
    uuid: str = ""
    driver: str = ""
    cuda_driver: str = ""


class GpuSampled(Record, frozen=True, kw_only=True):
    """One look at one GPU, about once a second."""

    index: int
    used_bytes: int
    free_bytes: int
    busy_percent: int | None = None
    processes: list[DeviceProcess] = []


class GpuFailed(Important, frozen=True, kw_only=True):
    """NVML could no longer ask the device: `code` is its error number."""

    index: int
    error: str
    code: int | None = None


class NeighboursSampled(Record, frozen=True, kw_only=True):
    """The largest and the busiest processes outside of the program; `moment` is "start", "change" or "end"."""

    moment: str
    largest: list[Neighbour]
    busiest: list[Neighbour] = []


class OutputWritten(Record, frozen=True, kw_only=True):
    """What the program wrote, as it passed through us. `channel` is "stderr", "stdout" or "both"."""

    channel: str
    data: bytes


class SignalReceived(Important, frozen=True, kw_only=True):
    """A signal that reached the supervisor, with its sender where the system tells it."""

    signal: int
    sender_pid: int | None = None
    sender_uid: int | None = None
    sender_name: str | None = None
    from_terminal: bool = False


class SignalSent(Important, frozen=True, kw_only=True):
    """A signal that the supervisor sent to the program. `why` is "forwarded", "time limit", "memory limit"…"""

    signal: int
    why: str


class KernelLogged(Important, frozen=True, kw_only=True):
    """A line of the kernel's log that is about this run."""

    line: str


class ProgramEnded(Important, frozen=True, kw_only=True):
    """How the program's first process ended. One of `exit_code` and `signal` is set, or neither where nothing tells."""

    pid: int
    exit_code: int | None = None
    signal: int | None = None
    core_dumped: bool = False
    wall_s: float = 0.0
    user_s: float | None = None
    system_s: float | None = None
    peak_rss_bytes: int | None = None
    from_: str = msgspec.field(name="from", default="wait")


class RunEnded(Important, frozen=True, kw_only=True):
    """The supervisor wrote all it had to write."""


class InternalError(Important, frozen=True, kw_only=True):
    """An error of our own that a guard swallowed."""

    where: str
    error: str
    traceback: str = ""


# What the recorder inside a process sees.


class ProcessBegan(Important, frozen=True, kw_only=True):
    """`start` is "exec" (a new interpreter), "fork", or "start" (`whydied.start()`)."""

    pid: int
    ppid: int
    start: str
    argv: list[str] = []
    executable: str = ""
    python: str = ""
    flags: list[str] = []
    cwd: str = ""
    main: str | None = None


class MainFound(Important, frozen=True, kw_only=True):
    """The file of `__main__`, once the interpreter knows it."""

    file: str | None
    module: str | None = None


class ModuleImported(Important, frozen=True, kw_only=True):
    name: str
    version: str | None
    wall_s: float = 0.0


class VersionsSeen(Important, frozen=True, kw_only=True):
    versions: dict[str, str]


class LineSampled(Record, frozen=True, kw_only=True):
    """Where the main thread was: the user's frames, innermost last, and the innermost frame of all."""

    frames: list[Frame]
    innermost: Frame | None = None
    thread: str = "main"
    rss_bytes: int | None = None
    allocator_bytes: int | None = None
    allocator_peak_bytes: int | None = None


class CensusTaken(Important, frozen=True, kw_only=True):
    """The large live objects of the process, and who holds them. `trigger` is a milestone ("75 % of the limit"),
    "growth", "peek" or "exception"; `complete` is false where the time allowed for it ran out; `python_bytes` is the
    sum over all groups, also those too small to be listed."""

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


class CallBegan(Important, frozen=True, kw_only=True):
    """A call into Keras (`fit`, `evaluate`, `predict`, …). `arguments` are plain words about what was passed."""

    call: int
    kind: str
    frames: list[Frame]
    model: str = ""
    arguments: dict[str, Any] = {}
    parent_call: int | None = None


class CallEnded(Important, frozen=True, kw_only=True):
    call: int
    raised: str | None = None


class EpochBegan(Important, frozen=True, kw_only=True):
    call: int
    epoch: int


class StepBegan(Record, frozen=True, kw_only=True):
    """A step began. `count` is the number of steps of this kind so far; `unit` is "train", "test", "predict", "apply"
    (an eager optimizer update), "function" (a call of a tf.function) or "session" (a v1 `Session.run`)."""

    unit: str
    count: int
    call: int | None = None
    epoch: int | None = None
    step: int | None = None
    name: str = ""


class FunctionTraced(Important, frozen=True, kw_only=True):
    """A tf.function was traced. `traces` is how often so far."""

    name: str
    traces: int
    file: str = ""
    line: int = 0
    signature: list[str] = []
    wall_s: float = 0.0
    frames: list[Frame] = []


class SessionRan(Record, frozen=True, kw_only=True):
    """A v1 `Session.run`, at a bounded rate; `count` is how often so far."""

    count: int
    frames: list[Frame] = []
    fetches: list[str] = []
    feeds: dict[str, list[int | None] | None] = {}
    operations: int | None = None
    graph: int = 0
    added: list[GraphAddition] = []


class SessionOpened(Important, frozen=True, kw_only=True):
    """A v1 session was made, at a bounded rate; `count` is how many so far, `open` how many live and are not closed."""

    count: int
    open: int
    frames: list[Frame] = []


class VariablesMade(Important, frozen=True, kw_only=True):
    """A line made `tf.Variable`s outside of Keras, at a bounded rate; `count` and `size_bytes` are those of the line so
    far."""

    count: int
    size_bytes: int
    frames: list[Frame] = []


class ConstantMade(Important, frozen=True, kw_only=True):
    """A large array became a constant of a graph."""

    size_bytes: int
    frames: list[Frame]
    shape: list[int | None] | None = None
    dtype: str | None = None


class DatasetMade(Important, frozen=True, kw_only=True):
    """A `tf.data` stage that holds elements was made. `kind` is "shuffle", "cache" or "prefetch"; `buffer_size` and
    `elements` count elements of the stage (None where unknown or without end), `element_bytes` is the size of one."""

    kind: str
    frames: list[Frame]
    buffer_size: int | None = None
    elements: int | None = None
    element_bytes: int | None = None
    element_spec: str = ""


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


class WarningIssued(Record, frozen=True, kw_only=True):
    category: str
    message: str
    file: str
    line: int


class ExceptionRaised(Important, frozen=True, kw_only=True):
    """An exception that nobody caught. `where` is "main", "thread", "unraisable" or "call" (seen leaving a Keras call);
    the chain begins with the exception that surfaced."""

    where: str
    chain: list[RaisedException]
    thread: str = "main"


class ExitRequested(Important, frozen=True, kw_only=True):
    """`how` is the function that the program called: "sys.exit", "os._exit", "os.abort", "os.kill", "os.exec"…"""

    how: str
    frames: list[Frame]
    status: str | None = None
    target_pid: int | None = None
    signal: int | None = None


class HandlerSet(Important, frozen=True, kw_only=True):
    """The program set a handler of its own for a signal."""

    signal: int
    action: str


class ProcessExiting(Important, frozen=True, kw_only=True):
    """The interpreter reached its orderly end."""


class RecorderReady(Important, frozen=True, kw_only=True):
    """The recorder is whole: what it cost, and which hooks are in place."""

    wall_s: float
    hooks: list[str] = []


class RecorderLimited(Important, frozen=True, kw_only=True):
    """The recorder does without something, and says why."""

    what: str
    reason: str


KINDS: dict[str, type[Record]] = {
    kind.__name__: kind for parent in (Record, Important) for kind in parent.__subclasses__() if kind is not Important
}
