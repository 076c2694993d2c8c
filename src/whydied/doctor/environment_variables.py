"""Variables that end a program before it has done anything. Runs in the parent.

XLA ends the process, without a traceback, when XLA_FLAGS holds a flag that it does not know. The names of all flags
that it knows stand in TensorFlow's library as text, so they are looked up there.
"""

from __future__ import annotations

import re
from pathlib import Path

from whydied.doctor.distributions import TENSORFLOW, Distribution, Installed, contains
from whydied.doctor.environment import Environment
from whydied.doctor.machine import Check

_FLAG = re.compile(r"(?:^|\s)--(xla_\w+)")


def variable_checks(environment: Environment, installed: Installed) -> list[Check]:
    tensorflow = installed.first(TENSORFLOW)
    asked = list(dict.fromkeys(_FLAG.findall(environment.variables.get("XLA_FLAGS", ""))))
    if tensorflow is None or not asked:
        return []
    libraries = _libraries(tensorflow)
    unknown = [
        flag for flag in asked if libraries and all(contains(path, flag.encode()) is False for path in libraries)
    ]
    if not unknown:
        return [Check("XLA_FLAGS", "ok", " ".join(f"--{flag}" for flag in asked))]
    rest = [word for word in environment.variables["XLA_FLAGS"].split() if not word.startswith(tuple(_dashed(unknown)))]
    return [
        Check(
            "XLA_FLAGS",
            "broken",
            f"{', '.join(_dashed(unknown))}: {tensorflow.shown} has no such flag",
            'the process exits when XLA first reads its flags ("Unknown flag in XLA_FLAGS"), without a traceback',
            f"export XLA_FLAGS='{' '.join(rest)}'" if rest else "unset XLA_FLAGS",
        )
    ]


def _libraries(tensorflow: Distribution) -> list[Path]:
    package = tensorflow.directory / "tensorflow"
    found = [*package.glob("libtensorflow_cc.so.*"), package / "python/_pywrap_tensorflow_internal.so"]
    return [path for path in found if path.is_file()]


def _dashed(flags: list[str]) -> list[str]:
    return [f"--{flag}" for flag in flags]
