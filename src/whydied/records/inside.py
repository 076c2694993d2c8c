"""What the recorder sees inside a process. See `whydied.records`."""

from __future__ import annotations

from typing import Any

from whydied.records.memory import GraphAddition
from whydied.records.values import Frame, Important, RaisedException, Record, Value


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


class SourceKept(Important, frozen=True, kw_only=True):
    """A file of the user's own code is in the recording, as it was when it was read: see `whydied.source_copy`.
    `edited` says that it was changed at a time when the process may have loaded it already: it may not be what ran."""

    file: str
    copy: str
    edited: bool = False


class ModuleImported(Important, frozen=True, kw_only=True):
    name: str
    version: str | None
    wall_s: float = 0.0


class VersionsSeen(Important, frozen=True, kw_only=True):
    versions: dict[str, str]


class OpenFiles(Value, frozen=True, kw_only=True):
    """Open descriptors that lead to the same sort of thing: `kind` is "file", "socket", "pipe", "device" or "other";
    `what` is the directory and the ending of files (`/data/*.npy`), else the word of the system."""

    kind: str
    what: str
    count: int


class DescriptorsCounted(Important, frozen=True, kw_only=True):
    """What the process had open when the system refused it one more. `limit` is the soft limit (`ulimit -n`); the
    groups begin with the largest."""

    count: int
    limit: int | None
    groups: list[OpenFiles]


class DevicesSeen(Important, frozen=True, kw_only=True):
    """What a library that computes was built for, and the devices that it found; written anew when that changes.

    `library` is "tensorflow", "torch" or "jax"; `package` is what it was installed as. `cuda` and `cudnn` are the
    versions of its build, empty for one without CUDA; `capabilities` are what it has code for, "sm_80" for a binary and
    "compute_90" for PTX. `found` are the types of its devices, None while it has not looked; `visible` are those that
    the program left it. `hidden_from_start` and `hidden` are CUDA_VISIBLE_DEVICES when the program began and now."""

    library: str
    version: str = ""
    package: str = ""
    cuda: str = ""
    cudnn: str = ""
    capabilities: list[str] = []
    found: list[str] | None = None
    visible: list[str] = []
    hidden_from_start: str | None = None
    hidden: str | None = None


class LineSampled(Record, frozen=True, kw_only=True):
    """Where a thread was: the user's frames, innermost last, and the innermost frame of all. `thread` is "main", or the
    number of another that was at work while memory grew and the main one waited; it comes after the main one's."""

    frames: list[Frame]
    innermost: Frame | None = None
    thread: str = "main"
    rss_bytes: int | None = None
    allocator_bytes: int | None = None
    allocator_peak_bytes: int | None = None


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


class WarningIssued(Record, frozen=True, kw_only=True):
    category: str
    message: str
    file: str
    line: int


class ExceptionRaised(Important, frozen=True, kw_only=True):
    """An exception that nobody caught. `where` is "main", "thread", "unraisable", "call" (seen leaving a Keras call),
    "cell" (of a notebook) or "test" (of pytest); the chain begins with the exception that surfaced."""

    where: str
    chain: list[RaisedException]
    thread: str = "main"


class ExitRequested(Important, frozen=True, kw_only=True):
    """`how` is the function that the program called: "sys.exit", "os._exit", "os.abort", "os.kill", "os.exec"…
    `handling` is the exception whose handler called it, with its causes."""

    how: str
    frames: list[Frame]
    status: str | None = None
    target_pid: int | None = None
    signal: int | None = None
    handling: list[RaisedException] = []


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
