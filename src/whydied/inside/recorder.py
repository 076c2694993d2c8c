"""The recorder: begins in each process of the user's program, and begins anew in each fork; runs in the user's process.

Invariant: a failure here leaves the program as it would be without us. Little is imported at the start, and
what the program's own directory shadows is forgotten again: a program whose `secrets.py` lies beside it gets its own.
"""

from __future__ import annotations

import atexit
import os
import sys
from typing import Any

from whydied.inside import hooks, imports, journal
from whydied.inside.endings import crash_dumps, exception_hooks, exits
from whydied.inside.guest import garbage_collection, guard, standstill
from whydied.inside.guest.guard import guarded
from whydied.inside.hooks import warning
from whydied.inside.process import device_facts, versions
from whydied.inside.sampling import kept_sources, memory_watch, sampler
from whydied.records import ForkSeen, ProcessBegan, ProcessExiting

ENV_OPTIONS = "WHYDIED_OPTIONS"
TRIAL_WORD = "trial-"
"""As in `graph.traced_step`, which would be too much to load here."""
LARGEST_PROCESSES = 2000
"""Of the processes of a run so many are recorded: a program may start tens of thousands."""

_recorder: Recorder | None = None


class Recorder:
    """What this process has of ours."""

    def __init__(self, owner: journal.Journal) -> None:
        self._journal = owner
        self._muted = False
        self._faults = crash_dumps.install()
        kept_sources.install()
        self._sampler = sampler.Sampler(standstill.main_thread(), self._chores)

    @guarded("recorder.install")
    def install(self) -> None:
        exits.install(self.last_words)
        options = os.environ.get(ENV_OPTIONS, "").split(",")
        exception_hooks.install("pdb" in options)
        warning.install()
        garbage_collection.install()
        # Steps that are tried under a limit get all of it: nothing else of ours looks at them.
        is_tried = any(word.startswith(TRIAL_WORD) for word in options)
        installers = {} if is_tried else hooks.INSTALLERS
        if "estimate" in options:
            from whydied.inside.preflight.step_hooks import joined

            installers = joined(installers)
        imports.install(installers, hooks.REPORTED)
        os.register_at_fork(
            before=self._sampler.before_fork,
            after_in_parent=self._sampler.after_fork_in_parent,
            after_in_child=self._forked,
        )
        atexit.register(self._exiting)
        if is_tried:
            return
        memory_watch.begin()
        if "program-guard" in options:
            from whydied.inside.memory_guard import program_guard

            program_guard.begin()
        self._journal.opening = standstill.of_main_thread
        self._sampler.start()

    @guarded("recorder.fork")
    def _forked(self) -> None:
        garbage_collection.after_fork_in_child()
        standstill.after_fork_in_child()
        guard.forget()
        if journal.copying:
            self._journal.fall_silent()
            return
        calls = sys.modules.get("whydied.inside.model.open_calls")
        if calls is not None:
            calls.forget()
        if self._faults is not None:
            # Also where nothing else is recorded: a crash must not stand in the parent's file.
            self._faults.after_fork_in_child()
        number = _count_process(self._journal.run)
        if self._muted or number > LARGEST_PROCESSES:
            self._muted = True
            self._sampler.after_fork_in_child(goes_on=False)
            journal.close()
            return
        self._journal.reopen()
        self._journal.write(_process_began("fork"))
        if "tensorflow" in sys.modules:
            self._journal.write(_fork_seen(self._journal))
        _announce_last(number)
        memory_watch.begin()
        self._sampler.after_fork_in_child()

    @guarded("recorder.exit")
    def _exiting(self) -> None:
        journal.before_death()
        if self._muted:
            self.last_words()
            return
        self._sampler.end()
        if journal.abandoned:
            return
        self._journal.find_main(at_end=True)
        exception_hooks.look_back()
        versions.see()
        device_facts.see()
        self._journal.write(ProcessExiting())
        self.last_words()

    @guarded("recorder.last_words")
    def last_words(self) -> None:
        """Before an end that the interpreter does not survive to be told of."""
        if journal.abandoned:
            return
        if not self._muted:
            self._journal.find_main()
            kept_sources.look()
            versions.see()
            device_facts.see()
        if self._faults is not None:
            self._faults.close()

    @guarded("recorder.chores")
    def _chores(self) -> None:
        if self._faults is not None:
            self._faults.check()
        memory_watch.check()
        kept_sources.look(kept_sources.LONGEST_LOOK_S)
        versions.see()
        device_facts.see()
        # The module may be half imported, by another thread.
        let_go = getattr(sys.modules.get("whydied.inside.numerics.eager.eager_steps"), "let_go", None)
        if let_go is not None:
            let_go()
        if os.path.exists(os.path.join(self._journal.run, f"stacks-{os.getpid()}")):
            # Hardly any program is ever asked, so the module is loaded for those that are.
            from whydied.inside.endings import thread_stacks

            thread_stacks.answer(self._journal.run)


def begin_at(run: str, start: str) -> None:
    """Record this process into a run's directory. `start` is "exec" or "start". Does nothing a second time, nor in a
    sub-interpreter, which could not end while a thread of ours runs. Raises OSError where the directory cannot be
    written, before anything is hooked."""
    global _recorder
    if _recorder is not None or (start != "exec" and _in_subinterpreter()):
        return
    number = _count_process(run)
    if number > LARGEST_PROCESSES:
        return
    owner = journal.open_journal(run)
    if not os.access(os.path.join(run, "streams"), os.W_OK):
        journal.close()
        raise PermissionError(f"{run} cannot be written")
    owner.write(_process_began(start))
    _announce_last(number)
    _recorder = Recorder(owner)
    _recorder.install()
    if start == "exec":
        _unshadow()


def _in_subinterpreter() -> bool:
    """Of an interpreter that is under way; for one that begins, `sitecustomize` knows before it loads us."""
    for name in ("_interpreters", "_xxsubinterpreters"):
        known = name in sys.modules
        try:
            module: Any = __import__(name)
        except ImportError:
            continue
        if not known:
            # The sampler takes it for a sign that the program uses it.
            sys.modules.pop(name, None)
        return bool(module.get_current() != module.get_main())
    return False


def _count_process(run: str) -> int:
    """The number of this process among those of the run: each adds a byte to a file, and its place is the number."""
    try:
        descriptor = os.open(
            os.path.join(run, "processes"), os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600
        )
    except OSError:
        return 0
    try:
        os.write(descriptor, b".")
        return os.lseek(descriptor, 0, os.SEEK_CUR)
    except OSError:
        return 0
    finally:
        os.close(descriptor)


def _announce_last(number: int) -> None:
    if number == LARGEST_PROCESSES:
        guard.limited("processes", f"only the first {LARGEST_PROCESSES} processes of a run are recorded")


def _process_began(start: str) -> ProcessBegan:
    from whydied import redact

    return ProcessBegan(
        pid=os.getpid(),
        ppid=os.getppid(),
        start=start,
        argv=[argument[:2000] for argument in redact.arguments(sys.orig_argv)[:200]],
        executable=sys.executable or "",
        python=sys.version.split()[0],
        flags=[f"{name}={getattr(sys.flags, name)}" for name in _FLAGS if getattr(sys.flags, name, 0)],
        cwd=_cwd(),
    )


def _fork_seen(owner: journal.Journal) -> ForkSeen:
    """The line of the fork, which is still on the stack, and what TensorFlow had begun by then."""
    module = sys.modules.get("tensorflow.python.eager.context")
    context = vars(module).get("_context") if module is not None else None
    started = context is not None and vars(context).get("_context_handle") is not None
    return ForkSeen(
        frames=owner.frames(sys._getframe(1)),
        started="context" if started else "",
    )


_FLAGS = ("optimize", "dev_mode", "utf8_mode", "bytes_warning", "isolated", "no_user_site", "safe_path")


def _cwd() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""


@guarded("recorder.unshadow")
def _unshadow() -> None:
    """Forget the modules that we loaded and that the program would have found in its own directory first. Ours keep
    the ones they have."""
    directory = _program_directory()
    if directory is None:
        return
    needed = _used_by_ours()
    # Not a list of the directory: a million images may lie beside the script.
    for name in {name.partition(".")[0] for name in list(sys.modules)} - needed - {*sys.builtin_module_names}:
        path = os.path.join(directory, name)
        if os.path.exists(path + ".py") or os.path.isfile(os.path.join(path, "__init__.py")):
            for loaded in [key for key in sys.modules if key == name or key.startswith(name + ".")]:
                del sys.modules[loaded]


def _used_by_ours() -> set[str]:
    """The modules that ours import by name, now or later, and those that every interpreter loads before any program."""
    names = {"__main__", "whydied", "msgspec", "collections", "encodings", "sitecustomize", "usercustomize"}
    names |= {
        "_collections_abc",
        "_sitebuiltins",
        "abc",
        "codecs",
        "genericpath",
        "io",
        "os",
        "posixpath",
        "site",
        "stat",
    }
    for name, module in list(sys.modules.items()):
        if name.startswith("whydied"):
            used = (value for value in vars(module).values() if isinstance(value, type(sys)))
            names |= {value.__name__.partition(".")[0] for value in used}
    return names | {"re", "types", "typing", "weakref"}


def _program_directory() -> str | None:
    """Where the program's own modules are looked for first: beside the script, or here for -m and -c."""
    if getattr(sys.flags, "safe_path", False):
        return None
    arguments = iter(sys.orig_argv[1:])
    for argument in arguments:
        if argument in ("-c", "-m"):
            return os.curdir
        if argument in ("-W", "-X", "--check-hash-based-pycs"):
            next(arguments, None)
        elif not argument.startswith("-"):
            return os.path.dirname(os.path.realpath(argument)) or os.curdir
    return None
