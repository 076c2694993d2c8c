"""What a thread that stands still waits for, told from its stack and from what the kernel says of it. Pure; the
supervisor asks it while the program lives, the diagnosis after its end.

Invariant: what is known to be waited for on purpose (a key, a request, a time) is told apart from what another
part of the program must bring, and a place that is not known is called just that.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from whydied.records import Frame, TaskWait, ThreadStack

Kind = str
"""What a thread waits for: one of `WORDS`."""
ON_PURPOSE = frozenset({"sleep", "server", "input", "prompt", "signal", "running"})
"""Waits that are no fault: time, people and strangers end them."""
OURS = "/whydied/inside/"
NO_PYTHON = "no Python process"
"""Why a process of another language has no stacks."""

WORDS: dict[Kind, str] = {
    "lock": "a lock",
    "thread": "a thread to end",
    "process": "a process to end",
    "queue": "an item from a queue",
    "full queue": "space in a full queue",
    "event": "an event to be set",
    "condition": "a condition to be notified",
    "semaphore": "a semaphore",
    "barrier": "the other threads at a barrier",
    "future": "the result of a future",
    "pool": "a result from a pool of workers",
    "pipe": "data from another process",
    "full pipe": "a reader of the pipe it writes to",
    "socket": "data from a socket",
    "pipeline": "the next element of a tf.data pipeline",
    "tensorflow": "a TensorFlow op to finish",
    "file": "a file or a pipe",
    "file lock": "a lock on a file",
    "native": "a lock inside native code",
    "polled": "a condition that it keeps checking",
    "sleep": "time to pass",
    "server": "a request",
    "input": "input from the terminal",
    "prompt": "a person at a prompt",
    "signal": "a signal",
    "running": "nothing: it runs",
    "unknown": "something that its stack does not show",
}

# Where a stack stands, from the inside out: a part of the file's path, functions (empty: any), and what that is.
_PLACES: tuple[tuple[str, tuple[str, ...], Kind], ...] = (
    ("/pdb.py", (), "prompt"),
    ("/bdb.py", (), "prompt"),
    ("/cmd.py", ("cmdloop",), "prompt"),
    ("/code.py", ("raw_input", "interact"), "prompt"),
    ("/IPython/terminal/", (), "prompt"),
    ("/getpass.py", (), "input"),
    ("/asyncio/", (), "server"),
    ("/socketserver.py", (), "server"),
    ("/socket.py", ("accept",), "server"),
    ("/tornado/", (), "server"),
    ("/zmq/", (), "server"),
    ("/grpc/_server.py", (), "server"),
    ("/tensorflow/python/training/server_lib.py", ("join",), "server"),
    ("/multiprocessing/managers.py", ("serve_forever", "serve_client", "server_thread", "accepter"), "server"),
    ("/multiprocessing/pool.py", ("wait", "get", "next", "join"), "pool"),
    ("/multiprocessing/queues.py", ("get",), "queue"),
    ("/multiprocessing/queues.py", ("put",), "full queue"),
    ("/multiprocessing/popen_", ("poll", "wait"), "process"),
    ("/multiprocessing/synchronize.py", ("__enter__", "acquire"), "lock"),
    ("/multiprocessing/synchronize.py", ("wait",), "event"),
    ("/multiprocessing/connection.py", (), "pipe"),
    ("/subprocess.py", (), "process"),
    ("/concurrent/futures/_base.py", ("result", "exception", "wait", "as_completed", "result_iterator"), "future"),
    ("/concurrent/futures/process.py", ("shutdown", "join"), "pool"),
    ("/concurrent/futures/thread.py", ("shutdown",), "thread"),
    ("/queue.py", ("get",), "queue"),
    ("/queue.py", ("put",), "full queue"),
    ("/queue.py", ("join",), "full queue"),
    ("/tensorflow/python/data/ops/iterator_ops.py", (), "pipeline"),
    ("/ssl.py", (), "socket"),
    ("/http/client.py", (), "socket"),
    ("/urllib/", (), "socket"),
    ("/socket.py", (), "socket"),
    ("/selectors.py", (), "server"),
    ("/signal.py", ("pause", "sigwait", "sigtimedwait"), "signal"),
)
_THREADING: dict[str, Kind] = {
    "join": "thread",
    "_wait_for_tstate_lock": "thread",
    "_join_os_thread": "thread",
    "_shutdown": "thread",
    "acquire": "semaphore",
}
# Calls of C functions have no frame of their own: what the user's innermost line calls.
_CALLS: tuple[tuple[str, Kind], ...] = (
    (r"\bsleep\(", "sleep"),
    (r"\binput\(|\bstdin\b|\bgetpass\(|\braw_input\(", "input"),
    (r"\b(?:waitpid|wait3|wait4|waitid)\(|\bos\.wait\(", "process"),
    (r"\.accept\(|\bepoll\b|\bselect\(|\.poll\(|\bselect\.", "server"),
    (r"\bsignal\.pause\(|\bsigwait", "signal"),
    (r"\.recv(?:_into|from|msg)?\(|\.sendall\(|\.connect\(", "socket"),
    (r"\.acquire\(|^(?:async )?with\b", "lock"),
    (r"\.get\(", "queue"),
    (r"\.put\(", "full queue"),
    (r"\bflock\(|\blockf\(", "file lock"),
    (r"\bos\.(?:read|write|open)\(|\.read(?:line|lines|into)?\(|\bopen\(|\.write\(", "file"),
)
_SLEEPS = frozenset({"nanosleep", "clock_nanosleep", "pause", "rt_sigtimedwait", "rt_sigsuspend"})
_LOCKS = frozenset({"futex", "futex_wait", "futex_waitv"})
_SERVES = frozenset({"accept", "accept4"})
_POLLS = frozenset({"epoll_wait", "epoll_pwait", "epoll_pwait2", "poll", "ppoll", "select", "pselect6"})
_TERMINAL = re.compile(r"^/dev/(?:tty|pts/|console)")


class Stand(NamedTuple):
    """Where a thread stands: what it waits for, and its innermost line of the user's."""

    kind: Kind
    line: Frame | None
    target: str = ""


def is_ours(thread: ThreadStack) -> bool:
    """The sampler's own thread."""
    return bool(thread.frames) and all(OURS in frame.file for frame in thread.frames[-2:])


def stand_of(thread: ThreadStack, task: TaskWait | None = None) -> Stand:
    line = next((frame for frame in reversed(thread.frames) if frame.user), None)
    kind = _kind(thread.frames, task)
    if kind == "sleep" and thread.polls is not None:
        kind = "polled"
    return Stand(kind, line, task.target if task else "")


def kernel_kind(task: TaskWait) -> Kind:
    """What the kernel alone tells, for processes whose stacks nobody could read."""
    if task.state in ("R", "D"):
        return "running"
    if task.call in _SLEEPS:
        return "sleep"
    if task.call in _SERVES or task.call in _POLLS:
        return "server"
    if task.call in ("read", "readv", "pread64"):
        return "input" if _TERMINAL.match(task.target) else "socket" if task.target.startswith("socket:") else "file"
    if _writes_into_pipe(task):
        return "full pipe"
    if task.call in ("recvfrom", "recvmsg"):
        return "socket"
    if task.call in ("wait4", "waitid"):
        return "process"
    if task.call in _LOCKS:
        return "lock"
    return "unknown"


def _kind(frames: list[Frame], task: TaskWait | None) -> Kind:
    if task is not None:
        if task.state in ("R", "D"):
            # It is on a processor, waits for one, or for a disk.
            return "running"
        if task.call in _SLEEPS:
            return "sleep"
        if task.call in _SERVES:
            return "server"
        if _writes_into_pipe(task):
            return "full pipe"
        if task.call in ("read", "pselect6", "select", "poll", "ppoll") and _TERMINAL.match(task.target):
            return "input"
    found = _by_stack(frames)
    if found == "socket" and task is not None and task.switched:
        # It has been woken since: data come, if slowly.
        return "running"
    if found == "unknown" and task is not None:
        if task.call in _LOCKS:
            return "native" if task.switched is False else "unknown"
        return kernel_kind(task) if frames and not frames[-1].user else "unknown"
    return found


def _writes_into_pipe(task: TaskWait) -> bool:
    return task.call == "write" and task.target.startswith(("pipe:", "socket:"))


def _by_stack(frames: list[Frame]) -> Kind:
    """From the innermost frame outwards: the first one that says what it waits for. A queue waits on a condition, so an
    answer of `threading` stands only where nothing around it says more."""
    inner: Kind | None = None
    for frame in reversed(frames):
        file = frame.file.replace("\\", "/")
        if file.endswith("/threading.py"):
            inner = _threading(frame.function, inner)
            continue
        if frame.user:
            return inner or _called(frame.source)
        for part, functions, kind in _PLACES:
            if part in file and (not functions or frame.function in functions):
                return _polled(kind, frames)
        if "/tensorflow/python/" in file and inner is None:
            return "pipeline" if _in_pipeline(frames) else "tensorflow"
    return inner or "unknown"


def _threading(function: str, inner: Kind | None) -> Kind:
    if function in _THREADING:
        return _THREADING[function]
    if function == "wait" and inner != "barrier":
        # `Event.wait` calls `Condition.wait`, and `Barrier.wait` calls `_wait` before.
        return "event" if inner == "condition" else "condition"
    return "barrier" if function in ("_wait", "wait") else inner or "condition"


def _polled(kind: Kind, frames: list[Frame]) -> Kind:
    """`selectors` serves servers, and also those who wait for a process or its output."""
    if kind != "server":
        return kind
    files = [frame.file for frame in frames[-8:]]
    if any(file.endswith("/subprocess.py") for file in files):
        return "process"
    return "pipe" if any(file.endswith("/multiprocessing/connection.py") for file in files) else kind


def _in_pipeline(frames: list[Frame]) -> bool:
    return any("/tensorflow/python/data/" in frame.file for frame in frames[-12:])


def _called(source: str) -> Kind:
    """What a line of the user's calls that has no frame of its own."""
    text = source.strip()
    for pattern, kind in _CALLS:
        if re.search(pattern, text):
            return kind
    return "unknown"
