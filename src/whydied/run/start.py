"""`whydied.start()`: record a program that somebody else started; runs in the user's process, and only to get going.

Invariant: the supervisor is a *watcher* in a session of its own and no child of the program, so that no
`wait` of the program's ever meets it and a signal to the program's group passes it by. It holds the program's standard
error, for the report, and nothing else. What fails here, but for a directory that the user named, is a warning and
no more, also where the program makes errors of its warnings.
"""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path

from whydied import config, places
from whydied.errors import WhydiedError
from whydied.linux import proc
from whydied.places import RunDirectory, working_directory
from whydied.run import command, opening
from whydied.run.opening import recordable
from whydied.run.watch import PIDFD, WatchRequest, encode

_ENTRY = "import sys; sys.path.extend(sys.argv[2:]); from whydied.cli.watch import main; main(sys.argv[1])"


def start(
    *,
    name: str | None = None,
    labels: Mapping[str, str] | None = None,
    runs: str | os.PathLike[str] | None = None,
    json: str | os.PathLike[str] | None = None,
    quiet: bool = False,
) -> Path | None:
    """Record this program from here on, and report when it dies. Returns the run's directory.

    A second call, and a call under `whydied run`, changes nothing. Processes that this one starts later record too.
    Where no place can be written, the program goes on unrecorded, with a warning, and None is returned; only a place
    that was named with `runs` and cannot be used is an error.
    """
    return watched(_argv, name=name, labels=labels, runs=runs, json=json, quiet=quiet)


def watched(
    argv_of: Callable[[], list[str]],
    *,
    name: str | None = None,
    labels: Mapping[str, str] | None = None,
    runs: str | os.PathLike[str] | None = None,
    json: str | os.PathLike[str] | None = None,
    quiet: bool = False,
) -> Path | None:
    """The same for a program that `argv_of` names: a notebook's kernel is not called by its command."""
    going = os.environ.get(places.ENV_RUN)
    if going and os.path.isdir(going):
        _begin(RunDirectory(Path(going)))
        return Path(going)
    try:
        argv = argv_of()
        directory, fallback = places.new_run(Path(runs) if runs else None, name or Path(argv[0]).stem)
    except Exception as error:
        if runs:
            raise
        _warn(f"whydied cannot record this program: {error}")
        return None
    try:
        _write_requests(directory)
        os.environ.update(command.environment(directory))
        _begin(directory)
        stat = proc.stat_of(os.getpid())
        _start_watcher(
            WatchRequest(
                run=os.fsencode(directory.path),
                pid=os.getpid(),
                started_ticks=stat.started_ticks if stat else 0,
                argv=[recordable(word) for word in argv],
                cwd=os.fsencode(working_directory()),
                name=None if name is None else recordable(name),
                labels={recordable(key): recordable(value) for key, value in (labels or {}).items()},
                runs_fallback=None if fallback is None else recordable(fallback),
                json=os.fsencode(os.path.abspath(json)) if json else None,
                quiet=quiet,
            )
        )
    except Exception as error:
        _warn(f"whydied cannot watch this program: {error!r}")
    return directory.path


def _warn(text: str, stacklevel: int = 4) -> None:
    try:
        warnings.warn(text, RuntimeWarning, stacklevel=stacklevel)
    except Exception:
        # `-W error` is for the program's own warnings; this one is about us.
        with contextlib.suppress(Exception):
            sys.stderr.write(f"{text}\n")


def _write_requests(directory: RunDirectory) -> None:
    try:
        opening.write_requests(directory, opening.requests_from(config.load(Path.cwd())))
    except (WhydiedError, OSError) as error:
        _warn(f"whydied does not apply the configuration: {error}", stacklevel=5)


def _begin(directory: RunDirectory) -> None:
    try:
        from whydied.inside.recorder import begin_at

        begin_at(os.fspath(directory.path), "start")
    except Exception as error:
        _warn(f"whydied cannot record inside this process: {error!r}", stacklevel=5)


def _argv() -> list[str]:
    """The program as `whydied run` would name it: without the interpreter and its options."""
    words = list(sys.argv)
    if words[:1] in ([""], []):
        return ["python"]
    if words[0] == "-m":
        return words
    spec = getattr(sys.modules.get("__main__"), "__spec__", None)
    return ["-m", spec.name.removesuffix(".__main__"), *words[1:]] if spec else words


def _start_watcher(request: WatchRequest) -> None:
    null = os.open(os.devnull, os.O_RDWR)
    actions: list[tuple[int, ...]] = [(os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, null, 1)]
    opened = [null]
    try:
        with contextlib.suppress(OSError, AttributeError):
            # Held from before the start, so that the watcher cannot mistake a later process of the same number for us.
            pidfd = os.pidfd_open(os.getpid())
            opened.append(pidfd)
            actions.append((os.POSIX_SPAWN_DUP2, pidfd, PIDFD))
        # The shell puts the watcher into the background and ends: the watcher is nobody's child.
        shell = os.posix_spawn(
            "/bin/sh",
            ["sh", "-c", '"$@" &', "sh", sys.executable, "-I", "-c", _ENTRY, encode(request), *command.import_path()],
            command.plain_environment(),
            file_actions=actions,
            setsid=True,
            setsigmask=[],
        )
    finally:
        for fd in opened:
            os.close(fd)
    # A handler of the program's for SIGCHLD may have been quicker.
    with contextlib.suppress(ChildProcessError):
        os.waitpid(shell, 0)
