"""Runs many variants of one program, each in a process forked from this one, which has the program's libraries loaded.

Runs in the user's own interpreter: in the sandbox as a script by itself, for which the standard library has to be
enough, or in a copy of the process that died (`held_copy`). A variant starts in a tenth of the time that loading
TensorFlow takes. It says how it ended, and nothing of it outlives it but, in the sandbox, the files that it wrote,
which the next variant sees too: who reads the results runs the program as it is twice, before and after such files are
there.

Invariant: in the sandbox no op runs in this process, so that no thread of a library is lost by a fork; in a copy each
variant gives TensorFlow new threads first.

    python stage.py TASK RESULTS ROOT PROGRAM ARGUMENT…

TASK is a file of JSON with the keys of `Task`. RESULTS gets a line of JSON for each variant that ended, in any order.
What are paths of the user's project stands in the command line, where a sandbox that copies the project finds them;
PROGRAM is a file, or `-m` and a module.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import importlib
import importlib.machinery
import json
import linecache
import os
import runpy
import signal
import sys
import time
import traceback
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

POLL_S = 0.01
MESSAGE_CHARS = 400
ALONE = 2
"""The first ones are the program as it is: they run alone, so that their time is known."""
FINISHED = 10
"""The exit status of a variant that finished; of one that ended otherwise and said how, 0."""
PASSED = "passed"
"""How a variant ended whose time was over after it had passed what the program as it is came to: said at that moment,
so that it holds whatever ends it."""
PASSES_S = 4.0
"""Who runs for `LONGER` times as long as the program as it is, and at least so long, has passed its failure."""
ONWARD_S = 2.0
"""It goes on as long as it took to come there, and at least so long."""
MODULE = "-m"
LONGER, LONGER_S = 3.0, 5.0
"""A variant may take so many times the time of the program as it is, and so much more."""
_HIGH = 500
"""Programs use the low descriptors, and some count on their order."""
_REFUSED = os.strerror(errno.EPERM)


class Task(NamedTuple):
    """`variants` are the texts of the files that each changes, by their paths below the root. When `enough` of them
    finished no further one is started. `jobs` run at a time, after the first `alone` ones. Of the failures of the first
    `told` ones what the place knows of them is wanted, too. `control_s` is the time of the program as it is,
    0 where that is the first variant, None where nobody asks who runs on longer."""

    imports: list[str]
    variants: list[dict[str, str]]
    jobs: int
    enough: int
    limit_s: float
    alone: int = ALONE
    told: int = 0
    control_s: float | None = None


Become = Callable[[Mapping[str, str], Callable[[], None]], BaseException | None]
"""Runs a program, some of whose files have other texts, to its end, and raises or returns what ended it. It may call
when it has passed everything that the program as it is came to."""


class Place(NamedTuple):
    """Where the variants of a program run: `said` is the descriptor that gets the lines, `become` runs the program,
    `prepare` is called in each before that, with the texts of its files, and `tell` with its number and what ended it;
    when `is_over` no more is wanted. `located` is the user's file and line of code that has another name."""

    root: str
    become: Become
    said: int
    prepare: Callable[[dict[str, str]], None]
    tell: Callable[[int, BaseException], None] = lambda number, error: None
    is_over: Callable[[], bool] = lambda: False
    located: Callable[[str, int], tuple[str, int] | None] = lambda file, line: None


def main(task_file: str, results: str, root: str, *program: str) -> None:
    with open(task_file, encoding="utf-8") as file:
        task = Task(**json.load(file))
    be_silent()
    for name in task.imports:
        # What cannot be imported the program will say in its own words.
        with contextlib.suppress(BaseException):
            importlib.import_module(name)

    def first_on_the_path(texts: dict[str, str]) -> None:
        sys.path[0] = os.getcwd() if program[0] == MODULE else os.path.dirname(os.path.abspath(program[0]))

    perform(task, Place(root, script(program), opened(results), first_on_the_path))


def opened(results: str) -> int:
    """A descriptor that variants say how they ended through, which stay able to when they may open nothing more."""
    low = os.open(results, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        return fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, _HIGH)
    finally:
        os.close(low)


def perform(task: Task, place: Place) -> None:
    """Start the variants in their order, some at a time, until all ended or enough of them finished."""
    waiting = list(enumerate(task.variants))[::-1]
    running: dict[int, tuple[int, float]] = {}
    limit_s, done, finished, control_s = task.limit_s, 0, 0, task.control_s
    passed: set[int] = set()
    while running or (waiting and finished < task.enough):
        if place.is_over():
            for pid in running:
                _kill(pid)
            return
        jobs = 1 if done < task.alone else task.jobs
        while waiting and len(running) < jobs and finished < task.enough:
            number, texts = waiting.pop()
            running[_start(number, texts, place, told=number < task.told)] = (number, time.monotonic())
        for pid, status in _ended(running, limit_s):
            number, began_s = running.pop(pid)
            taken_s = time.monotonic() - began_s
            done += 1
            finished += status == FINISHED
            control_s = taken_s if control_s == 0 and number == 0 else control_s
            if done == task.alone:
                limit_s = min(limit_s, LONGER * taken_s + LONGER_S)
            if status not in (0, FINISHED):
                _say(place.said, {"number": number, "how": "time" if taken_s > limit_s else "signal"})
        if control_s:
            passed |= _told_passed(running, passed, max(LONGER * control_s, PASSES_S), place.said)
        time.sleep(POLL_S)


def _told_passed(running: dict[int, tuple[int, float]], passed: set[int], limit_s: float, said: int) -> set[int]:
    """Those that have run for so long that the program as it is would have failed; each is said once."""
    now_s = time.monotonic()
    found = {number: now_s - began_s for number, began_s in running.values() if now_s - began_s > limit_s}
    for number in found.keys() - passed:
        _say(said, {"number": number, "how": PASSED, "wall_s": found[number]})
    return set(found)


def _ended(running: dict[int, tuple[int, float]], limit_s: float) -> Iterator[tuple[int, int]]:
    """Those that ended, with their exit status; those whose time is over are ended."""
    for pid, (_, began_s) in list(running.items()):
        if time.monotonic() - began_s > limit_s:
            _kill(pid)
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            # What it started in its group ends with it.
            _kill(pid)
            yield pid, os.waitstatus_to_exitcode(status)


def _kill(pid: int) -> None:
    with contextlib.suppress(OSError):
        os.killpg(pid, signal.SIGKILL)


def _start(number: int, texts: dict[str, str], place: Place, *, told: bool) -> int:
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        os.setsid()
        shown = {os.path.join(place.root, path): text for path, text in texts.items()}
        place.prepare(shown)
        end = _ending(shown, place, number, told=told)
        _say(place.said, {"number": number, **end})
        status = FINISHED if end["how"] == "finished" else 0
    finally:
        os._exit(status)


def _ending(texts: dict[str, str], place: Place, number: int, *, told: bool) -> dict[str, Any]:
    """Become the program, and say how it ended."""
    began_s = time.monotonic()
    _show(texts)
    try:
        error = place.become(texts, lambda: _pass(number, began_s, place.said))
    except BaseException as raised:
        error = raised
    wall_s = time.monotonic() - began_s
    if error is None:
        return {"how": "finished", "wall_s": wall_s}
    if isinstance(error, SystemExit):
        how = "exit" if error.code else "finished"
        return {"how": how, "said": str(error.code)[:MESSAGE_CHARS], "wall_s": wall_s}
    end = {
        "how": "refused" if _is_refused(error) else "raised",
        "raised": type(error).__name__,
        "said": str(error)[:MESSAGE_CHARS],
        "frames": _frames(error, place),
        "wall_s": wall_s,
    }
    if told and end["how"] == "raised":
        place.tell(number, error)
    return end


def _pass(number: int, began_s: float, said: int) -> None:
    """What comes now is more than the program as it is came to: it gets some time, and then the variant ends."""
    wall_s = time.monotonic() - began_s
    _say(said, {"number": number, "how": PASSED, "wall_s": wall_s})
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, max(wall_s, ONWARD_S))


def _frames(error: BaseException, place: Place) -> list[tuple[str, str, int]]:
    """Those of the user's code, by files below the root."""
    found: list[tuple[str, str, int]] = []
    for one in traceback.extract_tb(error.__traceback__):
        line = one.lineno or 0
        located = place.located(one.filename, line)
        if located is None and _is_own(one.filename, place.root):
            located = one.filename, line
        if located is not None:
            found.append((os.path.relpath(located[0], place.root), one.name, located[1]))
    return found


def _is_refused(error: BaseException) -> bool:
    """Whether it is the place that refuses a deed, which the program may do elsewhere."""
    return (isinstance(error, OSError) and error.errno == errno.EPERM) or _REFUSED in str(error)


def script(program: tuple[str, ...]) -> Become:
    def become(texts: Mapping[str, str], passed: Callable[[], None]) -> None:
        _run(program)

    return become


def _run(program: tuple[str, ...]) -> None:
    if program[0] == MODULE:
        sys.argv = list(program[1:])
        runpy.run_module(program[1], run_name="__main__", alter_sys=True)
        return
    file = os.path.abspath(program[0])
    sys.argv = list(program)
    module = types.ModuleType("__main__")
    module.__file__ = program[0]
    sys.modules["__main__"] = module
    loader = importlib.machinery.SourceFileLoader("__main__", file)
    exec(loader.source_to_code(loader.get_data(file), file), module.__dict__)


def _show(texts: dict[str, str]) -> None:
    """Let Python read other texts in the place of some files, without byte code of the ones that are there; let what
    reads source again (AutoGraph, tracebacks) see them too."""
    given = {path: text.encode() for path, text in texts.items()}
    loader: Any = importlib.machinery.SourceFileLoader
    plain_data, plain_stats = loader.get_data, loader.path_stats

    def get_data(self: Any, path: str) -> bytes:
        data = given.get(os.path.abspath(path))
        return bytes(plain_data(self, path)) if data is None else data

    def path_stats(self: Any, path: str) -> dict[str, Any]:
        # A time that no byte code was made for.
        return {"mtime": 0, "size": None} if os.path.abspath(path) in given else dict(plain_stats(self, path))

    plain_lines = linecache.updatecache

    def updatecache(filename: str, module_globals: Any = None) -> list[str]:
        # AutoGraph has every file that it converts a function of read anew.
        text = texts.get(os.path.abspath(filename))
        if text is None:
            return plain_lines(filename, module_globals)
        lines = text.splitlines(keepends=True)
        linecache.cache[filename] = (len(text), None, lines, filename)
        return lines

    loader.get_data, loader.path_stats = get_data, path_stats
    linecache.updatecache = updatecache
    linecache.clearcache()
    sys.dont_write_bytecode = True


def _is_own(file: str, root: str) -> bool:
    path = os.path.abspath(file)
    # Cython names its files as they lay where a library was compiled: from here they would be the program's.
    inside = path.startswith(os.path.join(root, "")) and os.path.isfile(path)
    return inside and "site-packages" not in path and not path.startswith(os.path.join(sys.prefix, "lib"))


def be_silent() -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)


def _say(said: int, line: dict[str, Any]) -> None:
    os.write(said, json.dumps(line).encode() + b"\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
