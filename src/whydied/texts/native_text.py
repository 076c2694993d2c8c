"""The words with which native code gave up, as values: a failed check, a damaged heap, a C++ exception. Pure.

TensorFlow's log has had two forms: `2025-01-18 12:09:37.05: F path/file.cc:12] text` and, from absl,
`F0000 00:00:1794790708.27 23435 file.cc:12] text`, where the number before the file is the thread's. The second is
followed by the native stack of the thread that failed. Two threads may fail at once; the first one counts.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from whydied.texts import native_output, python_output

Kind = Literal["check", "heap", "exception", "assertion", "interpreter", "panic"]

_LAST_LINES = 600
_STACK = native_output.CHECK_STACK.words
_LOGGING = re.compile(r"\blog_internal::|\bLogMessage|\bMakeCheckOp")
_DEVICE = re.compile(r"Device::Compute(?:Async)?\(\)$")
_COMPUTE = re.compile(r"(?:^|::)(?P<kernel>\w+)(?:<[^()]*>)?::Compute(?:Async)?\(\)$")
_BASES = frozenset({"OpKernel", "AsyncOpKernel"})


class NativeWords(NamedTuple):
    """`text` is what was said, in one line. `file` and `line` are those of the native source. `frames` is the native
    stack, innermost first, without the frames of the log; `kernel` the class of the op that ran, or None."""

    kind: Kind
    text: str
    file: str = ""
    line: int = 0
    frames: tuple[str, ...] = ()
    kernel: str | None = None

    @property
    def status(self) -> str | None:
        """What an error that native code did not expect says, without the words around it."""
        found = native_output.STATUS.match(self.text)
        return native_output.STATUS_CODE.pattern.sub("", (found["new"] or found["old"]).strip()) if found else None

    @property
    def sentence(self) -> str:
        place = f" ({self.file.rsplit('/', 1)[-1]}:{self.line})" if self.file else ""
        kernel = f" in {self.kernel}" if self.kernel else ""
        if self.kind == "check" and self.status:
            return f"unexpected error in native code{kernel}{place}: {self.status}"
        if self.kind == "check" and (failed := native_output.CHECK_FAILED.match(self.text)):
            return f"a check in native code{kernel} failed{place}: {self.text[failed.end() :]}"
        if self.kind == "check":
            return f"native code{kernel} gave up{place}: {self.text}"
        if self.kind == "assertion":
            return f"an assertion in native code failed{place}: {self.text}"
        if self.kind == "panic":
            return f"a library written in Rust panicked{place}: {self.text}"
        if self.kind == "interpreter":
            return f"the interpreter aborted: {self.text}"
        if self.kind == "exception":
            return f"uncaught C++ exception {self.text}"
        return f"the C library detected memory corruption: {self.text}"


def native_words(output: str, pid: int | None = None) -> NativeWords | None:
    """What native code said last, of the process where the log tells whose it is."""
    lines = output.splitlines()[-_LAST_LINES:]
    return _check(lines, pid) or _last(lines)


def _check(lines: list[str], pid: int | None) -> NativeWords | None:
    found = [(number, fatal) for number, line in enumerate(lines) if (fatal := native_output.FATAL.match(line))]
    if not found:
        return None
    own = [one for one in found if pid is not None and one[1]["thread"] == str(pid)]
    number, fatal = (own or found)[0]
    text = " ".join([fatal["text"].strip(), *_continued(lines[number + 1 :])]).strip()
    frames = _frames(lines[number + 1 :])
    return NativeWords("check", text, fatal["file"], int(fatal["line"]), frames, kernel_in(frames))


def _continued(lines: list[str]) -> list[str]:
    """The lines of a text that has several: a status is printed below the call that gave it."""
    rest: list[str] = []
    for line in lines[:3]:
        if not native_output.STATUS_BELOW.match(line.strip()) or native_output.LOG_LINE.match(line):
            break
        rest.append(line.strip())
    return rest


def _frames(lines: list[str]) -> tuple[str, ...]:
    """The first stack below the text."""
    if _STACK not in lines:
        return ()
    names: list[str] = []
    for line in lines[lines.index(_STACK) + 1 :]:
        frame = native_output.CHECK_FRAME.match(line)
        if frame is None:
            break
        names.append(frame["name"])
    return tuple(name for name in names if not _LOGGING.search(name) and name != "(unknown)")


def kernel_in(frames: tuple[str, ...]) -> str | None:
    """The class that the device called: what is nearer to the failure are its parts."""
    device = next((n for n, frame in enumerate(frames) if _DEVICE.search(frame)), 0)
    for frame in reversed(frames[:device]):
        found = _COMPUTE.search(frame)
        if found and found["kernel"] not in _BASES:
            return found["kernel"]
    return None


def _last(lines: list[str]) -> NativeWords | None:
    for number in range(len(lines) - 1, -1, -1):
        line = lines[number]
        if thrown := native_output.THROWN.match(line):
            what = native_output.WHAT.match(lines[number + 1]) if number + 1 < len(lines) else None
            said = what["text"].strip() if what else (thrown["said"] or "").strip()
            return NativeWords("exception", ": ".join(filter(None, (thrown["gnu"] or thrown["llvm"], said))))
        if assertion := native_output.ASSERTION.match(line):
            return NativeWords("assertion", assertion["text"], assertion["file"], int(assertion["line"]))
        if heap := native_output.HEAP.search(line.strip()):
            return NativeWords("heap", heap["text"].strip("* "))
        if panic := native_output.PANIC.match(line):
            said = panic["old"] or (lines[number + 1].strip() if number + 1 < len(lines) else "")
            return NativeWords("panic", said, panic["file"], int(panic["line"]))
        # The words of faulthandler for a signal say nothing beyond it.
        if gave_up := python_output.FATAL_WITHOUT_SIGNAL.match(line):
            return NativeWords("interpreter", gave_up["text"].strip())
    return None
