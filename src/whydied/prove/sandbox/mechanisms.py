"""Which sandbox works here, and the command that enters it; runs in the caller.

Invariant: a mechanism is named only after it protected a file from a program here.
"""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import tempfile

import msgspec

from whydied.prove.sandbox.clearing import clear, remove_tree
from whydied.prove.sandbox.wanted import HOME, NAMES, NOTES, Mechanism, Name, Wanted
from whydied.run import command

_ENTRANCE = "import sys; sys.path[:0] = {path!r}; from whydied.prove.sandbox.guardian import main; main()"
_PROBE = """
import os, sys
path = sys.argv[1]
try:
    os.unlink(path)
    open(path, "w").write("changed")
    print(os.getpid(), open(path).read())
except OSError as error:
    print(error.errno)
"""
_TRIAL_S = 60
_WORDS = {
    "namespaces": "It ran in namespaces of its own: what it wrote went to a scratch copy, and other processes, devices"
    " and the network were out of reach.",
}


@functools.lru_cache(maxsize=8)
def mechanism(
    scratch: str | None = None, *, allow_network: bool = False, among: tuple[Name, ...] = NAMES
) -> Mechanism | None:
    """The best mechanism that works here, tried with a small program below `scratch`, or None."""
    for name in among:
        notes = _tried(name, scratch, allow_network)
        if notes is not None:
            return Mechanism(name, " ".join([_WORDS[name], *(f"{note[:1].upper()}{note[1:]}." for note in notes)]))
    return None


def entered(wanted: Wanted, argv: list[str], mechanism: Mechanism) -> list[str]:
    """The command that runs `argv` in a sandbox. Whoever starts it should wait for it: the program dies with who
    started it."""
    text = msgspec.json.encode(wanted).decode()
    code = _ENTRANCE.format(path=command.import_path())
    return [sys.executable, "-I", "-c", code, mechanism.name, text, *argv]


def _tried(name: Name, scratch: str | None, allow_network: bool) -> list[str] | None:
    if scratch is not None:
        os.makedirs(scratch, exist_ok=True)
    place = tempfile.mkdtemp(prefix="whydied-sandbox-", dir=scratch)
    try:
        victim = f"{place}/victim"
        with open(victim, "w") as file:
            file.write("kept")
        # The file lies beside the scratch directory, which alone is hidden or writable inside.
        inner = f"{place}/scratch"
        os.mkdir(inner)
        argv = entered(
            Wanted(inner, allow_network=allow_network),
            [sys.executable, "-I", "-S", "-c", _PROBE, victim],
            Mechanism(name, ""),
        )
        ended = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=_TRIAL_S, check=False)
        with open(victim) as file:
            is_kept = file.read() == "kept"
        with open(f"{inner}/{HOME}/{NOTES}") as file:
            notes = file.read().splitlines()
        return notes if is_kept and ended.returncode == 0 and ended.stdout.split()[1:] == [b"changed"] else None
    except (OSError, subprocess.SubprocessError):
        return None
    finally:
        clear(f"{place}/scratch")
        remove_tree(place)
