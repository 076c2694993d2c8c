"""What is known of a crash in native code, of the processor it ran on, and of forks. See `whydied.records`."""

from __future__ import annotations

from whydied.records.values import Frame, Important, Value


class NativeFrame(Value, frozen=True, kw_only=True):
    """A frame of native code. `function` is as the source writes it, empty where the library does not tell; `library`
    is the file, empty for code that no file stands behind."""

    function: str = ""
    library: str = ""


class MappedFile(Value, frozen=True, kw_only=True):
    """The file behind the address that a signal is about. `offset` is the place in the file; `size_bytes` its size
    when the program had ended, None where it was gone by then; `mapped_bytes` how much of it was mapped, to its end."""

    path: str
    offset: int
    mapped_bytes: int = 0
    size_bytes: int | None = None
    deleted: bool = False


class FileSystemSeen(Value, frozen=True, kw_only=True):
    """The file system of such a file, when the program had ended."""

    mount: str
    kind: str
    total_bytes: int
    free_bytes: int


class CrashSeen(Important, frozen=True, kw_only=True):
    """A crash as the handler of ours saw it. `code` is the kernel's reason (`si_code`), `sender` the process that sent
    the signal where one did. `access` is "read", "write" or "execute" where the processor tells. `memory` says what
    is at the address: "null", "stack" (just beyond the end of the stack), "unmapped", "read-only", "not executable",
    "mapped", or "". `instruction` is the code where the processor was, in hexadecimal; `divisor` what it divided by
    where that was in a register. The frames are innermost first."""

    pid: int
    thread: int
    signal: int
    code: int = 0
    sender: int | None = None
    address: int | None = None
    access: str = ""
    memory: str = ""
    instruction: str = ""
    divisor: int | None = None
    frames: list[NativeFrame] = []
    file: MappedFile | None = None
    file_system: FileSystemSeen | None = None


class ProcessorSeen(Important, frozen=True, kw_only=True):
    """What every processor of the machine can do, in the kernel's words; looked up when an instruction was refused."""

    architecture: str
    model: str = ""
    features: list[str] = []


class ForkSeen(Important, frozen=True, kw_only=True):
    """A process that was forked from one in which TensorFlow was loaded; written by the child. `frames` are those of
    the line that forked. `started` says what of TensorFlow had begun to run there: "context" (eager code), "session",
    or "" where it was loaded only. `threads` is how many threads the parent had, which the child has not."""

    frames: list[Frame]
    started: str = ""
    threads: int | None = None
