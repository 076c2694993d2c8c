"""A copy of a process that an exception ended, held back to run its program again with changes; runs in the user's
process at its end, and then in the copy.

The rules that know what to change run in the parent, after the program is gone. So the dying process leaves a copy of
itself behind, with all libraries loaded, which waits for `task-<n>` in `copy/` of the run's directory, and answers in
`said-<n>` how the program ends with each change (`stage`). A variant is a fork of the copy with a new `__main__`, the
program's own modules forgotten and TensorFlow begun anew. What the recorder has to say of an exception that ends one
goes to `facts-<n>`: the number of the variant and a size, then as many bytes of frames (`wire`).

Invariant: the program does not notice. The copy is nobody's child that waits for it, has none of the program's open
files, prints and records nothing, and ends when it is told to, when nobody asked for a while, or with the machine. A
variant is sealed before any of its code runs: it can compute, and what it writes goes into layers that are gone with
it; where the system allows no such layers it can open nothing to write. A copy is held only where the
parent asked for it, and where memory and the time of the program allow.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import json
import os
import resource
import signal
import struct
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import Any, NamedTuple

from whydied import wire
from whydied.inside import journal
from whydied.inside.guest import live_source
from whydied.inside.guest.guard import guarded
from whydied.inside.journal import Journal
from whydied.inside.process import process_memory
from whydied.inside.trials import forked, fresh_tensorflow, stage
from whydied.linux import private_files, sealing
from whydied.places import ENV_OPTIONS, copy_directory
from whydied.records import Record

WORD = "hold-copy"
"""Among the words for the recorder."""
LONGEST_PROGRAM_S, LONGEST_WALL_S = 30.0, 120.0
"""One that took longer, its imports included, is not run again while somebody waits for the report. The first is of the
processor: on a machine that is busy with other work a short program takes long on the clock."""
WAITS_S = 20.0
LOOK_S = 0.01
ROOM = 3
"""The free memory, in sizes of the process: two variants at a time, each as large as the program was."""
LEAST_ROOM_BYTES = 1 << 30
DONE = -1
"""The number of the line that ends an answer."""
TOLD = struct.Struct("<II")
"""A variant and the size of what it has to say."""
MOST_RECORDS = 5_000
Describe = Callable[[str, Any, TracebackType | None], None]


@guarded("held_copy.hold")
def hold(owner: Journal, describe: Describe) -> None:
    """Leave a copy behind, if one was asked for; `describe` writes down what is to be said of an exception."""
    if WORD not in os.environ.get(ENV_OPTIONS, "").split(",") or not _is_sensible(owner):
        return
    program = _program(owner)
    if program is None:
        return
    directory = copy_directory(owner.run)
    try:
        os.mkdir(directory, 0o700)
    except OSError:
        # Another process of the run has left one, or there is no room.
        return
    # The program is not to be told of the end of a child that it does not know.
    told = signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        with contextlib.suppress(OSError):
            child = forked.fork()
            if child == 0:
                _leave_behind(directory, program, owner, describe)
            os.waitpid(child, 0)
    finally:
        signal.signal(signal.SIGCHLD, told)


class _Program(NamedTuple):
    """What a variant becomes, and the place in the user's source of code with a name of another kind."""

    become: stage.Become
    located: Callable[[str, int], tuple[str, int] | None] = lambda file, line: None


def _program(owner: Journal) -> _Program | None:
    cells = sys.modules.get("whydied.inside.notebook.cells")
    notebook = cells.program_again(owner) if cells is not None else None
    if notebook is not None:
        return _Program(notebook.run, notebook.place)
    words = program_of(sys.orig_argv)
    return _Program(stage.script(words)) if words is not None else None


def program_of(argv: Sequence[str]) -> tuple[str, ...] | None:
    """The program and its arguments, from the command line of its interpreter; None for one that is not in a file."""
    main = sys.modules.get("__main__")
    file, spec = getattr(main, "__file__", None), getattr(main, "__spec__", None)
    if spec is not None and stage.MODULE in argv[:-1]:
        return (stage.MODULE, *argv[argv.index(stage.MODULE) + 1 :])
    names = [at for at, word in enumerate(argv[1:], 1) if isinstance(file, str) and _is_same(word, file)]
    return tuple(argv[names[0] :]) if names and argv[names[0]].endswith(".py") else None


def _is_same(word: str, file: str) -> bool:
    return os.path.basename(word) == os.path.basename(file)


def _is_sensible(owner: Journal) -> bool:
    wall_s = time.monotonic() - owner.began_s
    if not forked.is_possible() or min(wall_s, time.process_time()) > LONGEST_PROGRAM_S or wall_s > LONGEST_WALL_S:
        return False
    rss = process_memory.rss_bytes() or 0
    room = process_memory.MemoryLimit().room_bytes(rss)
    return room is not None and room > max(ROOM * rss, LEAST_ROOM_BYTES)


def _leave_behind(directory: str, program: _Program, owner: Journal, describe: Describe) -> None:
    """In the copy; does not return."""
    try:
        os.setsid()
        # For good: what comes of it is not a process of the program.
        journal.copying = True
        # Adopted by whoever adopts orphans: the program has no child more.
        if os.fork() == 0:
            _wait(directory, program, owner, describe)
    finally:
        os._exit(0)


def _wait(directory: str, program: _Program, owner: Journal, describe: Describe) -> None:
    _let_go()
    gc.freeze()
    number, until_s = 0, time.monotonic() + WAITS_S
    scratch = os.path.join(directory, "files")
    os.mkdir(scratch, 0o700)
    with open(os.path.join(directory, "pid"), "w", encoding="ascii") as file:
        file.write(str(os.getpid()))
    ended = os.path.join(directory, "end")
    while time.monotonic() < until_s and os.path.isdir(directory) and not os.path.exists(ended):
        try:
            with open(os.path.join(directory, f"task-{number}"), encoding="utf-8") as file:
                given = json.load(file)
        except OSError:
            time.sleep(LOOK_S)
            continue
        said = stage.opened(os.path.join(directory, f"said-{number}"))
        witness = _Witness(owner, describe, stage.opened(os.path.join(directory, f"facts-{number}")), scratch)
        place = stage.Place(
            root=given.pop("root"),
            become=program.become,
            located=program.located,
            said=said,
            prepare=witness.renew,
            tell=witness.tell,
            is_over=lambda: os.path.exists(ended) or not os.path.isdir(directory),
        )
        stage.perform(stage.Task(**given), place)
        os.write(said, json.dumps({"number": DONE, "how": "done"}).encode() + b"\n")
        os.close(said)
        os.close(witness.facts)
        number, until_s = number + 1, time.monotonic() + WAITS_S


def _let_go() -> None:
    """Of all that the program has open, and of what is meant for it."""
    for number in forked.SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    faulthandler.disable()
    for number in forked.CRASHES:
        # A crash here is not the program's: nobody is to write it down.
        signal.signal(number, signal.SIG_DFL)
    stage.be_silent()
    os.closerange(3, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # If memory runs out after all, this is what to end.
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("1000")


def _places(start_directory: str, texts: Iterable[str] = ()) -> set[str]:
    """Where a program writes: beside itself, where it was started, at home, and where temporary files are."""
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    beside = [os.path.dirname(os.path.join(start_directory, one)) for one in (main, *texts) if isinstance(one, str)]
    return {start_directory, tempfile.gettempdir(), "/tmp", "/dev/shm", os.path.expanduser("~"), *beside}


def _has_private_files(start_directory: str, scratch: str) -> bool:
    """Whether this system lets a process have them, found out by one that does nothing else."""
    child = os.fork()
    if child == 0:
        try:
            private_files.keep_private(_places(start_directory), scratch)
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


class _Witness:
    """What happens in a variant before and after the program: `facts` is the descriptor that gets the records."""

    def __init__(self, owner: Journal, describe: Describe, facts: int, scratch: str) -> None:
        self._owner = owner
        self._describe = describe
        self.facts = facts
        self._scratch = scratch
        self._has_private_files = _has_private_files(owner.ownership.start_directory, scratch)
        self._seen: list[tuple[int, Record]] = []

    def renew(self, texts: dict[str, str]) -> None:
        """As if nothing of the program had run yet, but for what it imported."""
        ownership = self._owner.ownership
        for number in forked.SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None)
            if name != "__main__" and isinstance(file, str) and ownership.imported(file) is not None:
                del sys.modules[name]
        for file, text in texts.items():
            live_source.provide(file, text)
        self._owner.write = self._see  # type: ignore[method-assign]
        rss = process_memory.rss_bytes() or 0
        most = (process_memory.virtual_bytes() or 0) + ROOM * max(rss, LEAST_ROOM_BYTES)
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
        if self._has_private_files:
            private_files.keep_private(_places(ownership.start_directory, texts), self._scratch)
        os.chdir(ownership.start_directory)
        sealing.seal(files=self._has_private_files)
        fresh_tensorflow.renew()

    def tell(self, number: int, error: BaseException) -> None:
        self._describe("main", error, error.__traceback__)
        frames = b"".join(wire.frame(at_ns, count, one) for count, (at_ns, one) in enumerate(self._seen))
        os.write(self.facts, TOLD.pack(number, len(frames)) + frames)

    def _see(self, record: Record) -> None:
        if len(self._seen) < MOST_RECORDS:
            self._seen.append((time.monotonic_ns(), record))
