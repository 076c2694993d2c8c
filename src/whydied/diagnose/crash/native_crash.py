"""What the handler of ours saw of a crash in native code, for the rules: the function and library at fault, the op that
ran, what was tried with which address, and what the program was doing. Pure.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Iterable

from whydied.diagnose.case import Case, line_words
from whydied.diagnose.finding import Evidence
from whydied.records import CallBegan, CrashSeen, EpochBegan, NativeFrame, StepBegan
from whydied.texts import kernel_lines
from whydied.texts.native_text import kernel_in

_SIGNALS = {"divide error": signal.SIGFPE, "invalid opcode": signal.SIGILL}
_NULL_BYTES = 4096

_SHOWN_FRAMES = 6
# Parts of the system and of the interpreter: what they were asked to do matters, not that they did it.
_SYSTEM = re.compile(
    r"(?:^|/)(?:libc|libm|libpthread|libdl|librt|ld-linux[^/]*|ld|libgcc_s|libstdc\+\+|libc\+\+|libc\+\+abi|libffi|libunwind)"
    r"(?:[-.][^/]*)?\.so[^/]*$|/ld-musl[^/]*$|^\[vdso\]$"
)
_INTERPRETER = re.compile(r"/(?:libpython[\d.]+[^/]*\.so[^/]*|python[\d.]*)$")
_STANDARD = re.compile(r"/lib-dynload/[^/]+$")
_CALLING = re.compile(r"/libffi[^/]*$")
_PYTHON_FRAME = re.compile(r"^_PyEval_EvalFrame")
_ABORTING = re.compile(
    r"^(?:abort|raise|gsignal|__pthread_kill\w*|__libc_message\w*|__assert_\w+|std::terminate|__cxxabiv1::.*|__cxa_\w+"
    r"|__gnu_cxx::__verbose_terminate_handler|std::__throw_\w+|_Unwind_\w+|rust_panic\w*|(?:core|std)::panicking::.*"
    r"|.*\blog_internal::.*|(?:\w+::)*internal::LogMessage\w*::.*)$"
)
_DEEPEST_ABORT = 16
_PACKAGE = re.compile(r"/(?:site|dist)-packages/(?P<package>[^/]+)/")
_IMPORTER = re.compile(r"^<frozen importlib")
_IMPORT = re.compile(r"^\s*(?:import\s+(?P<module>[\w.]+)|from\s+(?P<from>[\w.]+)\s+import\b)")
_ACCESS = {"read": "read", "write": "wrote to", "execute": "jumped to"}


def crash_of(case: Case) -> CrashSeen | None:
    """The crash that ended the process that counts, from our handler or, where that did not stand, the kernel's log."""
    pid, recording = case.pid, case.recording
    for seen in [*recording.supervisor.all(CrashSeen), *recording.aftermath.crashes]:
        if seen.pid == pid and seen.signal == case.signal:
            return seen
    if pid is None or case.signal is None:
        return None
    return logged_crash(recording.kernel_lines, pid, case.signal)


def source_of(seen: CrashSeen) -> str:
    return f"CrashSeen of process {seen.pid}" if seen.thread else "KernelLogged"


def sender_of(case: Case) -> int | None:
    """The other process that sent the signal, where the kernel says that one did: then nothing crashed."""
    seen = crash_of(case)
    return seen.sender if seen is not None and seen.sender not in (None, seen.pid) else None


def native_part(seen: CrashSeen) -> list[NativeFrame]:
    """The frames inside of the innermost Python frame, or all of a thread that ran none; of an abort without those that
    carried it out."""
    end = next((n for n, frame in enumerate(seen.frames) if _PYTHON_FRAME.match(frame.function)), len(seen.frames))
    carried = [n for n, frame in enumerate(seen.frames[: min(end, _DEEPEST_ABORT)]) if _ABORTING.match(frame.function)]
    begin = carried[-1] + 1 if carried and seen.signal == signal.SIGABRT else 0
    return seen.frames[begin if begin < end else 0 : end]


def blamed(seen: CrashSeen) -> NativeFrame | None:
    """The frame that says most about who was at work: the innermost of a package, else the function that was called
    through ctypes, else the innermost that has a name."""
    part = native_part(seen)
    for frame in part:
        own = not any(kind.search(frame.library) for kind in (_SYSTEM, _INTERPRETER, _STANDARD))
        if own and frame.library and (frame.function or (frame.library.startswith("/") and ".so" in frame.library)):
            return frame
    called = next((n for n, frame in enumerate(part) if _CALLING.search(frame.library)), 0)
    named = [frame for frame in part[:called] if frame.function]
    if called and part[0].library:
        return named[-1] if named else part[0]
    telling = [frame for frame in part if frame.function and not _SYSTEM.search(frame.library)]
    return next(iter(telling or [frame for frame in part if frame.function] or part), None)


def frame_words(frame: NativeFrame) -> str:
    """`memcpy of libc.so.6`."""
    library = frame.library.rsplit("/", 1)[-1]
    if frame.function:
        return f"{frame.function} of {library}" if library else frame.function
    return library or "unnamed code"


def package_of(frame: NativeFrame) -> str | None:
    """The installed package that a library belongs to."""
    found = _PACKAGE.search(frame.library)
    return found["package"] if found else None


def kernel_of(case: Case) -> str | None:
    """The class of TensorFlow's op that ran in the thread that crashed."""
    seen = crash_of(case)
    return kernel_in(tuple(f"{frame.function}()" for frame in seen.frames)) if seen else None


def fault_words(case: Case) -> str:
    """`: memcpy of libc.so.6 read through a null pointer (address 0x0)`; "" where nothing is known."""
    seen = crash_of(case)
    if seen is None or sender_of(case) is not None:
        return ""
    frame = blamed(seen)
    who = frame_words(frame) if frame else ""
    kernel = kernel_of(case)
    running = f" in {kernel}" if kernel and (frame is None or kernel not in frame.function) else ""
    what = _tried(seen)
    if not who and not what:
        return ""
    return f": {who or 'native code'}{running}{f' {what}' if what else ''}"


def _tried(seen: CrashSeen) -> str:
    """What the processor refused to do."""
    if seen.signal != signal.SIGSEGV or seen.address is None:
        return ""
    if seen.memory == "stack":
        return "ran out of stack"
    if seen.memory == "null" and seen.access == "execute":
        return f"called a null pointer (address {seen.address:#x})"
    if seen.memory == "null":
        return f"{'wrote' if seen.access == 'write' else 'read'} through a null pointer (address {seen.address:#x})"
    if not seen.access:
        return "used an invalid address"
    place = {"read-only": "read-only memory", "not executable": "memory that holds no code"}
    return f"{_ACCESS[seen.access]} {place.get(seen.memory, 'unmapped memory')} (address {seen.address:#x})"


def crash_evidence(case: Case) -> list[Evidence]:
    """The native frames, the op, and what the program was doing."""
    seen = crash_of(case)
    found: list[Evidence] = []
    source = source_of(seen) if seen else ""
    if seen is not None and seen.frames and sender_of(case) is None:
        shown = " <- ".join(_shown(native_part(seen) or seen.frames)[:_SHOWN_FRAMES])
        found.append(Evidence(fact="native frames", value=shown, source=source))
        kernel = kernel_of(case)
        if kernel:
            found.append(Evidence(fact="the op that ran", value=kernel, source=source))
    module = importing(case)
    if module is not None:
        found.append(Evidence(fact="while importing", value=module, source="faulthandler"))
    return [*found, *doing(case)]


def importing(case: Case) -> str | None:
    """The module that a line of the program's was importing when it crashed."""
    thread = case.fault.current if case.fault else None
    frames = thread.frames if thread else []
    at = next((n for n, frame in enumerate(frames) if frame.user), len(frames))
    if at == len(frames) or not any(_IMPORTER.match(frame.file) for frame in frames[:at]):
        return None
    found = _IMPORT.match(case.locate(frames[at]).source or "")
    return (found["module"] or found["from"]) if found else None


def _shown(part: list[NativeFrame]) -> list[str]:
    """Frames in words, without those that only pass a call on and have no name."""
    passing = [frame for frame in part if frame.function or not _SYSTEM.search(frame.library)]
    return list(dict.fromkeys(frame_words(frame) for frame in passing or part))


def doing(case: Case) -> list[Evidence]:
    """The call into Keras that was running, with its epoch and step."""
    calls = case.records.open_calls
    if not calls:
        return []
    call = calls[0]
    line = f" on {line_words(call.frames[-1])}" if call.frames else ""
    value = f"{call.kind}{f' of {call.model}' if call.model else ''}{line}{_moment(case, call)}"
    return [Evidence(fact="in the middle of", value=value, source="CallBegan")]


def _moment(case: Case, call: CallBegan) -> str:
    epochs = [one.epoch for one in case.records.all(EpochBegan) if one.call == call.call]
    steps = [one for one in case.records.all(StepBegan) if one.call == call.call and one.step is not None]
    epoch = f", epoch {epochs[-1] + 1}" if epochs else ""
    return f"{epoch}, step {steps[-1].step}" if steps else f"{epoch}, before the first step"


def logged_crash(lines: Iterable[str], pid: int, number: int) -> CrashSeen | None:
    """The crash of a process by a signal, as the kernel's log has it: it writes such a line only of a process without a
    handler for the signal, where no recorder was inside. `thread` is 0: the log does not tell it."""
    for line in lines:
        if (found := kernel_lines.SEGFAULT.search(line)) and number == signal.SIGSEGV and int(found["pid"]) == pid:
            address, error = int(found["address"], 16), int(found["error"], 16)
            return CrashSeen(
                pid=pid,
                thread=0,
                signal=number,
                address=address,
                access="execute" if error & 0x10 else "write" if error & 0x2 else "read",
                memory="null" if address < _NULL_BYTES else "unmapped",
                frames=_frames(found["library"]),
            )
        found = kernel_lines.TRAP.search(line)
        if found and int(found["pid"]) == pid and number == _SIGNALS.get(found["what"], signal.SIGSEGV):
            refused = 0 if number == signal.SIGSEGV else None
            return CrashSeen(
                pid=pid, thread=0, signal=number, code=1, address=refused, frames=_frames(found["library"])
            )
    return None


def _frames(library: str | None) -> list[NativeFrame]:
    return [NativeFrame(library=library)] if library else []
