"""Versions of what takes part, read from the installed packages' own papers: nothing of them is imported.

whydied and py-spy are those beside this process; all others are those of the environment that is examined."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import sys

from whydied import __version__
from whydied.doctor.distributions import TENSORFLOW, Installed
from whydied.doctor.environment import Environment
from whydied.doctor.machine import Check, Machine

_OLDEST, _NEWEST_TESTED = (3, 10), (3, 13)
_TESTED_ARCHITECTURES = ("x86_64", "aarch64", "arm64")


def software_checks(machine: Machine, environment: Environment, installed: Installed) -> list[Check]:
    return [
        Check("whydied", "ok", __version__),
        python_check(environment.version[:2], environment.number),
        _system(machine),
        _tensorflow(environment, installed),
        _package("keras", installed),
        _package("numpy", installed),
        _py_spy(),
    ]


def python_check(version: tuple[int, ...], words: str) -> Check:
    if version < _OLDEST:
        return Check(
            "python",
            "broken",
            words,
            "whydied needs Python 3.10 or newer",
            "install whydied under a newer Python",
        )
    if version > _NEWEST_TESTED:
        return Check(
            "python",
            "missing",
            f"{words}, newer than the tested versions (3.10 to 3.13)",
            "hooks into the interpreter may not work",
            "use Python 3.13",
        )
    return Check("python", "ok", words)


def _system(machine: Machine) -> Check:
    found = f"{machine.system} {machine.architecture}"
    if machine.system == "Linux" and machine.architecture in _TESTED_ARCHITECTURES:
        return Check("system", "ok", found)
    if machine.system in ("Linux", "Darwin"):
        return Check(
            "system",
            "missing",
            found,
            "kernel evidence (OOM counters, kernel log, control groups) is read on Linux only"
            if machine.system == "Darwin"
            else "this architecture is not tested",
            "run it on Linux x86_64 for the full diagnosis",
        )
    return Check(
        "system",
        "missing" if machine.system == "Windows" else "broken",
        found,
        "processes cannot be supervised here: `whydied run` needs Linux, and only `whydied doctor` works",
        "use Linux (WSL 2 on Windows)",
    )


def _tensorflow(environment: Environment, installed: Installed) -> Check:
    found = installed.first(TENSORFLOW)
    if found is not None:
        return Check("tensorflow", "ok", f"{found.version} ({found.name})")
    own = environment.executable == sys.executable
    return Check(
        "tensorflow",
        "missing",
        f"not installed for {environment.executable}",
        "`whydied run script.py` uses this interpreter, so a TensorFlow program cannot run"
        if own
        else "a TensorFlow program cannot run with this interpreter",
        "install whydied into the environment that has TensorFlow, or name its interpreter: "
        "`whydied run -- /path/to/python script.py`"
        if own
        else f"{environment.pip} install tensorflow",
    )


def _package(name: str, installed: Installed) -> Check:
    found = installed.get(name)
    return Check(name, "ok", found.version if found is not None else "not installed")


def _py_spy() -> Check:
    beside = os.path.join(os.path.dirname(sys.executable), "py-spy")
    path = beside if os.access(beside, os.X_OK) else shutil.which("py-spy")
    if path:
        return Check("py-spy", "ok", _version("py-spy") or path)
    return Check(
        "py-spy",
        "missing",
        "not installed",
        "for a program that hangs in native code, only the last sampled line is known, not every thread's stack",
        "pip install py-spy",
    )


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None
