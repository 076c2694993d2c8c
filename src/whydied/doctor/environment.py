"""The Python environment that is examined: an interpreter, where it looks for packages, and its variables. Runs in the
parent; another interpreter is asked in a short child process that imports nothing but the standard library.

Invariant: no package of the environment is imported, so a TensorFlow that crashes at import is examined like
any other. The values of variables stay in this process: answers quote only those that they are about.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from whydied.errors import UsageError
from whydied.run.command import plain_environment

_PATIENCE_S = 30.0
_INTERPRETERS = (("bin", "python"), ("bin", "python3"), ("Scripts", "python.exe"), ("python.exe",))


class Environment(NamedTuple):
    """`markers` are the values by which requirements differ between systems (PEP 508); `paths` is where packages are
    looked for, in order; `glibc` is empty on a system with another C library."""

    executable: str
    version: tuple[int, int, int]
    markers: Mapping[str, str]
    paths: tuple[Path, ...]
    prefix: Path
    glibc: str
    variables: Mapping[str, str]

    @property
    def number(self) -> str:
        return ".".join(map(str, self.version))

    @property
    def pip(self) -> str:
        """The words that install into this environment and no other."""
        return f"{self.executable} -m pip"

    @property
    def threaded(self) -> str:
        """The letter in the tags of wheels for a Python without the global lock."""
        return "t" if self.markers.get("free_threaded") == "1" else ""


def own() -> Environment:
    """The environment of this process, which `whydied run script.py` uses."""
    from whydied.doctor import probe

    return _environment(probe.facts(), sys.path, os.environ)  # type: ignore[no-untyped-call]


def of(python: str) -> Environment:
    """The environment of another interpreter: its path, a name on PATH, or the directory of a virtual environment."""
    executable = _executable(python)
    text = _asked([executable, "-c", _probe_source()], python)
    try:
        told: dict[str, Any] = json.loads(text.splitlines()[-1])
        return _environment(told, told["path"], plain_environment())
    except (ValueError, KeyError, IndexError, TypeError):
        raise UsageError(f"{python} did not answer like a Python interpreter", "name a Python interpreter") from None


def _environment(told: Mapping[str, Any], paths: list[str], variables: Mapping[str, str]) -> Environment:
    major, minor, micro = told["version"]
    return Environment(
        executable=told["executable"],
        version=(major, minor, micro),
        markers=told["markers"],
        paths=tuple(_packages_paths(paths, told["prefix"])),
        prefix=Path(told["prefix"]),
        glibc=told["glibc"],
        variables=dict(variables),
    )


def _packages_paths(paths: list[str], prefix: str) -> list[Path]:
    """Without the directory of a script and the working directory, which belong to a program."""
    scripts = {os.path.join(prefix, "bin"), os.path.join(prefix, "Scripts"), ""}
    return [Path(path) for path in dict.fromkeys(paths) if path not in scripts and os.path.isdir(path)]


def _executable(python: str) -> str:
    if os.path.isdir(python):
        inside = [os.path.join(python, *parts) for parts in _INTERPRETERS]
        found = next((path for path in inside if os.access(path, os.X_OK)), None)
        if found is None:
            raise UsageError(f"there is no bin/python in {python}", "name a virtual environment or an interpreter")
        # A link is not followed: its place is what makes it the interpreter of that environment.
        return os.path.abspath(found)
    found = shutil.which(python)
    if found is None:
        raise UsageError(f"{python} cannot be run", "name a Python interpreter, such as --python venv/bin/python")
    return os.path.abspath(found)


def _asked(words: list[str], shown: str) -> str:
    try:
        done = subprocess.run(
            words,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            env=plain_environment(),
            timeout=_PATIENCE_S,
            check=False,
        )
    except OSError as error:
        raise UsageError(f"{shown} cannot be run: {error.strerror}", "name a Python interpreter") from None
    except subprocess.TimeoutExpired:
        raise UsageError(f"{shown} did not answer within {_PATIENCE_S:.0f} s", "does it start by itself?") from None
    if done.returncode != 0:
        last = (done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no output"])[-1]
        raise UsageError(f"{shown} ended with status {done.returncode}: {last}", "does it start by itself?")
    return done.stdout.decode("utf-8", "replace")


@cache
def _probe_source() -> str:
    return Path(__file__).with_name("probe.py").read_text("utf-8")
