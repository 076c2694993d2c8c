"""`whydied.start()`: record a program that somebody else started; runs in the user's process, and only to get going.

What always holds: the supervisor is a *watcher* in a session of its own and no child of the program, so that no
`wait` of the program's ever meets it and a signal to the program's group passes it by. It holds the program's standard
error, for the report, and nothing else. What fails here, but for a directory that the user named, is a warning and
no more.
"""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path

from whydied import places
from whydied.places import RunDirectory
from whydied.run import command, proc
from whydied.run.opening import working_directory
from whydied.run.watch import PIDFD, WatchRequest, encode

_ENTRY = "import sys; sys.path.extend(sys.argv[2:]); from whydied.cli.watch import main; main(sys.argv[1])"


def start(
    *,
    name: str | None = None,
    labels: Mapping[str, str] | None = None,
    runs: str | os.PathLike[str] | None = None,
    json: str | os.PathLike[str] | None = None,
    quiet: bool = False,
) -> Path:
    """Record this program from here on, and report when it dies. Returns the run's directory.

    A second call, and a call under `whydied run`, changes nothing. Processes that this one starts later record too.
    """
    going = os.environ.get(places.ENV_RUN)
    if going and os.path.isdir(going):
        _begin(RunDirectory(Path(going)))
        return Path(going)
    argv = _argv()
    directory, fallback = places.new_run(Path(runs) if runs else None, name or Path(argv[0]).stem)
    os.environ.update(command.environment(directory))
    _begin(directory)
    stat = proc.stat_of(os.getpid())
    request = WatchRequest(
        run=os.fspath(directory.path),
        pid=os.getpid(),
        started_ticks=stat.started_ticks if stat else 0,
        argv=argv,
        cwd=working_directory(),
        name=name,
        labels=dict(labels or {}),
        runs_fallback=fallback,
        json=os.path.abspath(json) if json else None,
        quiet=quiet,
    )
    try:
        _start_watcher(request)
    except OSError as error:
        warnings.warn(f"whydied cannot watch this program: {error}", RuntimeWarning, stacklevel=2)
    return directory.path


def _begin(directory: RunDirectory) -> None:
    try:
        from whydied.inside.recorder import begin

        begin(directory, start="start")
    except Exception as error:
        warnings.warn(f"whydied cannot record inside this process: {error!r}", RuntimeWarning, stacklevel=3)


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
    paths = [entry for entry in sys.path if os.path.isabs(entry) and entry != os.fspath(command.BOOTSTRAP)]
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
            ["sh", "-c", '"$@" &', "sh", sys.executable, "-I", "-c", _ENTRY, encode(request), *paths],
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
