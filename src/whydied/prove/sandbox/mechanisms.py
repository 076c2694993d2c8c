"""Which sandbox works here, and the command that enters it; runs in the caller.

Invariant: a mechanism is named only after it protected files and the network from a program here.
"""

from __future__ import annotations

import functools
import os
import socket
import subprocess
import sys
import tempfile

import msgspec

import whydied
from whydied.errors import UsageError
from whydied.prove.sandbox import landlock, project_copy
from whydied.prove.sandbox.clearing import clear, notes, remove_tree
from whydied.prove.sandbox.wanted import COPY, HOME, NAMES, Mechanism, Name, Wanted

_ENTRANCE = "import sys; sys.path += {path!r}; from whydied.prove.sandbox.guardian import main; main()"
"""Last on the path: a file of the user's that is named like a module of the library must not run outside."""
_PROBE = """
import os, socket, sys
port, *paths = sys.argv[1:]
for path in paths:
    try:
        os.unlink(path)
        open(path, "w").write("changed")
    except OSError:
        pass
    print(open(path).read())
try:
    socket.create_connection(("127.0.0.1", int(port)), 5)
except OSError:
    pass
"""
_TRIAL_S = 60


@functools.lru_cache(maxsize=8)
def mechanism(
    scratch: str | None = None, *, allow_network: bool = False, among: tuple[Name, ...] = NAMES
) -> Mechanism | None:
    """The best mechanism that works here, tried with a small program below `scratch`, or None."""
    for name in among:
        limits = _tried(name, scratch, allow_network)
        if limits is not None:
            sentences = [*_words(name, allow_network), *limits]
            return Mechanism(name, " ".join(f"{text[:1].upper()}{text[1:]}." for text in sentences))
    return None


def entered(wanted: Wanted, argv: list[str], mechanism: Mechanism) -> list[str]:
    """The command that runs `argv` in a sandbox. Whoever starts it must wait for it: the program dies with who started
    it. Raises UsageError if what is wanted would open the sandbox."""
    scratch = os.path.realpath(wanted.scratch)
    for path in (scratch, *map(os.path.realpath, wanted.shown)):
        for writable in map(os.path.realpath, wanted.writable):
            if project_copy.moved_path(path, writable, "") != path:
                raise UsageError(f"{path} lies in {writable}, which the program can write to")
    real = msgspec.structs.replace(
        wanted,
        scratch=scratch,
        writable=[os.path.realpath(path) for path in wanted.writable],
    )
    homes = {os.path.dirname(os.path.abspath(package.__path__[0])) for package in (whydied, msgspec)}
    code = _ENTRANCE.format(path=sorted(homes))
    return [sys.executable, "-I", "-c", code, mechanism.name, msgspec.json.encode(real).decode(), *argv]


def original(wanted: Wanted, path: str, mechanism: Mechanism) -> str:
    """The user's own path of a file as the program inside called it: another one where the project was copied."""
    if mechanism.name != "landlock" or wanted.project is None:
        return path
    copy = f"{os.path.realpath(wanted.scratch)}/{HOME}/{COPY}"
    return project_copy.moved_path(path, copy, os.path.realpath(wanted.project))


def _words(name: Name, allow_network: bool) -> list[str]:
    network = "the network was not cut, as you asked" if allow_network else "the network was out of reach"
    if name == "namespaces":
        what = "it ran in namespaces of its own: what it wrote went to a scratch directory"
        return [f"{what}, and other processes and devices were out of reach", network]
    what = "it ran under Landlock, in a copy of the project: it could write only to the copy and to temporary files"
    return [what, network, *landlock.gaps(allow_network)]


def _tried(name: Name, scratch: str | None, allow_network: bool) -> list[str] | None:
    """What the mechanism could not do as wanted, or None if it does not work."""
    if scratch is not None:
        os.makedirs(scratch, exist_ok=True)
    place = tempfile.mkdtemp(prefix="whydied-sandbox-", dir=scratch)
    project, inner = f"{place}/project", f"{place}/scratch"
    files = [f"{project}/file", f"{place}/file"]
    try:
        for directory in (project, inner):
            os.mkdir(directory)
        for path in files:
            with open(path, "w") as file:
                file.write("kept")
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.setblocking(False)
            argv = [sys.executable, "-I", "-S", "-c", _PROBE, str(server.getsockname()[1]), *files]
            wanted = Wanted(inner, allow_network=allow_network, project=project)
            ended = subprocess.run(
                entered(wanted, argv, Mechanism(name, "")),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_TRIAL_S,
                check=False,
            )
            is_cut = allow_network or not _is_called(server)
        are_kept = all(_content(path) == "kept" for path in files)
        wrote = ended.stdout.split()[:1] == [b"changed"]
        return notes(inner) if ended.returncode == 0 and wrote and are_kept and is_cut else None
    except (OSError, subprocess.SubprocessError):
        return None
    finally:
        clear(inner)
        remove_tree(place)


def _is_called(server: socket.socket) -> bool:
    try:
        server.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def _content(path: str) -> str:
    with open(path) as file:
        return file.read()
