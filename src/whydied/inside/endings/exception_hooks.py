"""Exceptions that nobody caught: in the main thread, in other threads, where Python can only print them, and in
children of multiprocessing, which print and exit by themselves. Runs in the user's process.

Invariant: the hook that was there before is called with the same arguments and decides what is printed; an
exception is recorded once, and of those that do not end the program only the first ones; what is analysed is loaded
only when there is one. `sys.__excepthook__` is replaced along with `sys.excepthook`, so that a program that compares or
restores them finds what it expects.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import FrameType, ModuleType, TracebackType
from typing import Any

from whydied.inside import journal
from whydied.inside.guest import frameless
from whydied.inside.guest.guard import guarded
from whydied.inside.process import descriptors
from whydied.inside.sampling import kept_sources, memory_watch

_recorded: list[int] = []
_MOST = {"unraisable": 20, "thread": 100, "census": 1, "cell": 200, "test": 50}
"""How many a process: a thread that fails in a loop must not cost the program its time."""
_OUTERMOST = ("main", "cell", "test")
"""Where nothing of the user's is left to handle it."""
_counts: dict[tuple[int, str], int] = {}


def install(debugger: bool) -> None:
    old = sys.excepthook
    original = sys.__excepthook__

    def excepthook(kind: Any, value: Any, trace: Any) -> None:
        if isinstance(kind, type) and not issubclass(kind, SystemExit):
            try:
                record("main", value, trace)
            except KeyboardInterrupt:
                # Another Ctrl-C while we were at it: the traceback of the first is still to be printed.
                pass
            if issubclass(kind, KeyboardInterrupt) and sys._getframe().f_back is None:
                _stay_interrupted()
        old(kind, value, trace)
        if debugger:
            _debug(value, trace)

    sys.excepthook = excepthook
    if old is original:
        sys.__excepthook__ = excepthook
    _hook_unraisable()


def _stay_interrupted() -> None:
    """Let the interpreter end by SIGINT, as it decided before it called us.

    It notes an interrupt that left the program, and forgets it as soon as a string is executed, which the creation of a
    named tuple does in any module that we load meanwhile.
    """
    try:
        exec("raise KeyboardInterrupt")
    except KeyboardInterrupt:
        pass


def _hook_unraisable() -> None:
    old = sys.unraisablehook
    original = sys.__unraisablehook__

    def unraisablehook(unraisable: Any, /) -> None:
        _unraised(unraisable)
        old(unraisable)

    sys.unraisablehook = unraisablehook
    if old is original:
        sys.__unraisablehook__ = unraisablehook


@guarded("exceptions.unraisable")
def _unraised(unraisable: Any) -> None:
    if unraisable.exc_value is not None and _is_wanted("unraisable"):
        record("unraisable", unraisable.exc_value, unraisable.exc_traceback)


def hook_threading(threading: ModuleType) -> None:
    """`threading.excepthook`, the same way."""
    if not hasattr(threading, "excepthook"):
        return
    old: Callable[[Any], Any] = threading.excepthook
    original = getattr(threading, "__excepthook__", None)

    def excepthook(args: Any, /) -> None:
        _in_thread(args)
        old(args)

    threading.excepthook = excepthook  # type: ignore[attr-defined]
    if old is original:
        threading.__excepthook__ = excepthook  # type: ignore[attr-defined]


@guarded("exceptions.thread")
def _in_thread(args: Any) -> None:
    value = args.exc_value
    if value is not None and not isinstance(value, SystemExit) and _is_wanted("thread"):
        name = getattr(args.thread, "_name", None)
        record("thread", value, args.exc_traceback, name if isinstance(name, str) else "")


def _is_wanted(kind: str) -> bool:
    """Whether this process recorded less than the most of a kind, and count it. A fork counts anew."""
    key = (os.getpid(), kind)
    _counts[key] = _counts.get(key, 0) + 1
    return _counts[key] <= _MOST[kind]


def hook_traceback(traceback: ModuleType) -> None:
    """A child of multiprocessing catches everything, prints it with `traceback.print_exc` and leaves by `os._exit`."""
    if hasattr(traceback, "print_exc"):
        frameless.before(traceback, "print_exc", _printed)


@guarded("exceptions.printed")
def _printed(frame: FrameType) -> None:
    code = frame.f_code
    if code.co_name == "_bootstrap" and code.co_filename.endswith(os.path.join("multiprocessing", "process.py")):
        value = sys.exc_info()[1]
        if value is not None:
            record("main", value, value.__traceback__)


@guarded("exceptions.record")
def record(where: str, value: Any, trace: TracebackType | None, thread: str = "main") -> None:
    """Write an ExceptionRaised, once for each exception."""
    with descriptors.room():
        _record(where, value, trace, thread)


def _record(where: str, value: Any, trace: TracebackType | None, thread: str) -> None:
    if where == "main":
        journal.before_death()
    owner = journal.current()
    if owner is None or not isinstance(value, BaseException) or id(value) in _recorded:
        return
    if where == "main":
        _recorded[:] = [id(value)]
        if memory_watch.relief is not None:
            memory_watch.relief()
    from whydied.inside.errors.exception_chain import exception_raised, framework_facts, links_of
    from whydied.inside.process import device_facts, versions

    owner.quiet = True
    try:
        owner.find_main()
        # Now, for a file that was loaded a moment ago and is quoted below, and after it, for those on the traceback.
        kept_sources.look()
        versions.see()
        device_facts.see()
        for facts in framework_facts(value, trace, dying=where == "main"):
            owner.write(facts)
        if "tensorflow" in sys.modules:
            from whydied.inside.errors import picture_files, refused_data, scenes

            if "tensorflow.python.client.session" in sys.modules:
                from whydied.inside.errors.sessions import session_facts

                for told in session_facts.gather(links_of(value, trace)) or ():
                    owner.write(told)
            for scene in scenes.gather(links_of(value, trace)) or ():
                owner.write(scene)
            for found in refused_data.gather(value, trace, owner.ownership) or ():
                owner.write(found)
            for named in picture_files.look(value, trace, owner.ownership) or ():
                owner.write(named)
        owner.write(exception_raised(where, value, trace, thread, owner.ownership))
        kept_sources.look()
        if where in _OUTERMOST:
            from whydied.inside.errors import data_facts, usage_facts
            from whydied.inside.errors.makers import maker_facts
            from whydied.inside.errors.packages import import_facts

            import_facts.look(owner, value, trace)

            usage_facts.look(owner, value, trace)
            data_facts.look(owner, value, trace)
            maker_facts.look(owner, value, trace)
            from whydied.inside.trials import refused_results

            refused_results.look(owner, value, trace, ends=where == "main")
        if where == "main":
            from whydied.inside.trials import failing_expression, session_graph

            failing_expression.look(owner, value, trace)
            session_graph.look(owner, value, trace)
        if where in _OUTERMOST or (where == "thread" and memory_watch.is_about_memory(value) and _is_wanted("census")):
            memory_watch.at_exception(value)
            if descriptors.are_refused(value) and (opened := descriptors.counted()) is not None:
                owner.write(opened)
        if where == "main":
            from whydied.inside.trials import held_copy

            held_copy.hold(owner, record)
    finally:
        owner.quiet = False
    calls = sys.modules.get("whydied.inside.model.open_calls")
    if calls is not None and where != "unraisable":
        calls.leave_all(type(value).__name__)


def left_cell(error: BaseException, ends: bool) -> None:
    """An exception that left a cell of a notebook. It `ends` a run that stops at the first cell that fails."""
    _recorded.clear()
    if ends or _is_wanted("cell"):
        record("main" if ends else "cell", error, error.__traceback__)


def failed_test(error: BaseException) -> None:
    """An exception that a test of pytest failed with: the next test runs in the same process."""
    _recorded.clear()
    if _is_wanted("test"):
        record("test", error, error.__traceback__)


@guarded("exceptions.look_back")
def look_back() -> None:
    """At the end of the interpreter: the exception that a hook of the program's own kept from us."""
    notebook = sys.modules.get("whydied.inside.notebook.notebook_state")
    if notebook is not None and notebook.is_active():
        # IPython keeps there what a cell raised, and goes on.
        return
    value = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
    if (
        isinstance(value, BaseException)
        and not isinstance(value, SystemExit)
        and _left_the_program(value.__traceback__)
    ):
        record("main", value, value.__traceback__)


def _left_the_program(trace: TracebackType | None) -> bool:
    """Whether an exception went through the whole program: its outermost frame is the module level of the main file, or
    what ran that. Test runners and consoles keep exceptions there that they have caught."""
    if trace is None:
        return True
    code = trace.tb_frame.f_code
    return code.co_name == "<module>" or code.co_filename.startswith("<frozen runpy>") or "runpy" in code.co_filename


@guarded("exceptions.debug")
def _debug(value: Any, trace: TracebackType | None) -> None:
    """`--pdb`: stop at the innermost frame of the user's code, where somebody can type."""
    owner = journal.current()
    if owner is None or trace is None or sys.stdin is None or not _can_ask():
        return
    import pdb

    steps: list[TracebackType] = []
    step: TracebackType | None = trace
    while step is not None:
        steps.append(step)
        step = step.tb_next
    users = [n for n, step in enumerate(steps) if owner.ownership.user_file(step.tb_frame) is not None]
    debugger = pdb.Pdb()
    debugger.reset()
    ups = len(steps) - 1 - users[-1] if users else 0
    if ups:
        debugger.rcLines.append(f"up {ups}")
    debugger.interaction(None, value if sys.version_info >= (3, 13) else trace)


def _can_ask() -> bool:
    try:
        return sys.stdin.readable() and not sys.stdin.closed
    except (AttributeError, ValueError):
        return False
