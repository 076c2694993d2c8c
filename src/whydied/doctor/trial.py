"""Imports TensorFlow in a program of its own, under whydied, and tells how that went. Runs in the parent.

Invariant: the program ends within its time, nothing of it reaches our output, and its recording is removed. The
explanation is that of `whydied run`, because it is one.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from whydied.doctor.environment import Environment
from whydied.doctor.machine import Check
from whydied.run.command import plain_environment
from whydied.texts import installation

_SCRIPT = "tensorflow_trial.py"
PATIENCE_S = 180.0
# Our own start and report come on top of the program's time.
_MORE_PATIENCE_S = 60.0
_MOST_WORDS = 600
# One line each, so that the line that failed says how far it came.
_STAGES = {
    "import tensorflow as tf": "import tensorflow",
    "tf.keras.layers.Dense": "tf.keras",
    "tf.constant(1.0) + 1.0": "the first op",
}


_ILLEGAL_INSTRUCTION = 0xC000001D
"""The status with which Windows ends a program for it."""
_OTHER_BUILD = "use another machine, or a build that does not need it (conda-forge)"
_RUNTIME_FIRST = (
    "install the newest Visual C++ Redistributable (https://aka.ms/vs/17/release/vc_redist.x64.exe); then another "
    "version of TensorFlow for this Python"
)


class Trial(NamedTuple):
    """How the program ended. `stage` is what it was at; `code` and `message` are the cause that was found."""

    ended: str
    stage: str
    exit_code: int | None = None
    signal: str | None = None
    code: str | None = None
    message: str | None = None
    certainty: str | None = None
    remedies: tuple[str, ...] = ()
    last_words: str = ""


def attempt(environment: Environment, patience_s: float = PATIENCE_S) -> Trial:
    if not hasattr(os, "fork"):
        return _by_itself(environment, patience_s)
    with tempfile.TemporaryDirectory(prefix="whydied-doctor-") as place:
        script, report = Path(place, _SCRIPT), Path(place, "report.json")
        script.write_text("".join(f"{line}\n" for line in _STAGES))
        words = [sys.executable, "-m", "whydied", "run", "--quiet", "--no-replay", "--json", os.fspath(report)]
        words += ["--runs", os.path.join(place, "runs"), "--timeout", f"{patience_s:.0f}s"]
        words += ["--", environment.executable, os.fspath(script)]
        try:
            done = subprocess.run(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                cwd=place,
                env=plain_environment(environment.variables),
                timeout=patience_s + _MORE_PATIENCE_S,
                check=False,
            )
            told: dict[str, Any] = json.loads(report.read_bytes())
        except subprocess.TimeoutExpired:
            return Trial("undetermined", "import tensorflow", message="whydied itself did not finish in time")
        except (OSError, ValueError) as error:
            return Trial("undetermined", "import tensorflow", message=f"there is no report: {error}")
        return _read(told, done.stderr.decode("utf-8", "replace"))


def _by_itself(environment: Environment, patience_s: float) -> Trial:
    """The same without whydied, where it cannot supervise a program: what the program says is all there is."""
    with tempfile.TemporaryDirectory(prefix="whydied-doctor-") as place:
        script = Path(place, _SCRIPT)
        script.write_text("".join(f"{line}\n" for line in _STAGES))
        try:
            done = subprocess.run(
                [environment.executable, os.fspath(script)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                cwd=place,
                env=plain_environment(environment.variables),
                timeout=patience_s,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return Trial("undetermined", "import tensorflow", message=f"it did not end: {error}")
        return heard(done.returncode, done.stderr.decode("utf-8", "replace"))


def heard(exit_code: int, stderr: str) -> Trial:
    """How an import ended, from its exit status and its words."""
    stages = list(_STAGES.values())
    if exit_code == 0:
        return Trial("finished", stages[-1], exit_code)
    lines = re.findall(rf'{re.escape(_SCRIPT)}", line (\d+)', stderr)
    stage = stages[min(int(lines[-1]), len(stages)) - 1] if lines else stages[0]
    message, remedies = _meaning(exit_code & 0xFFFFFFFF, stderr)
    return Trial("failed", stage, exit_code, message=message, remedies=remedies, last_words=_last_words(stderr))


def _meaning(status: int, stderr: str) -> tuple[str, tuple[str, ...]]:
    if found := installation.WITHOUT_INSTRUCTIONS.search(stderr):
        return f"the processor has no {found['what']}, which this TensorFlow uses", (_OTHER_BUILD,)
    if status == _ILLEGAL_INSTRUCTION:
        return "the processor does not know an instruction that this TensorFlow uses (AVX?)", (_OTHER_BUILD,)
    if found := installation.DLL_LOAD_FAILED.search(stderr):
        return f"a DLL could not be loaded: {found['why'].strip()}", (_RUNTIME_FIRST,)
    if installation.METAL_SYMBOL.search(stderr):
        return "tensorflow-metal was built for another TensorFlow", ("pip uninstall tensorflow-metal",)
    last = [line.strip() for line in stderr.splitlines() if line.strip()]
    return (last[-1][:_MOST_WORDS] if last else "it said nothing"), ()


def _read(told: dict[str, Any], stderr: str) -> Trial:
    run, cause = told.get("run") or {}, told.get("cause") or told.get("death") or {}
    line = (cause.get("location") or {}).get("line") or 1
    stages = list(_STAGES.values())
    return Trial(
        ended=told.get("outcome") or "undetermined",
        stage=stages[min(line, len(stages)) - 1],
        exit_code=run.get("exit_code"),
        signal=run.get("signal_name"),
        code=cause.get("code"),
        message=(cause.get("message") or told.get("undetermined") or "").removeprefix(f"{_SCRIPT}:{line}: ") or None,
        certainty=cause.get("certainty"),
        remedies=tuple(cause.get("advice") or ()),
        last_words=_last_words(stderr),
    )


def _last_words(stderr: str) -> str:
    """The end of what it printed, without TensorFlow's usual notes."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    return " | ".join(lines[-3:])[-_MOST_WORDS:]


def trial_checks(trial: Trial) -> list[Check]:
    name = "import tensorflow"
    if trial.ended == "finished":
        return [Check(name, "ok", "TensorFlow and tf.keras can be imported, and an op runs", area="import")]
    if trial.ended == "undetermined":
        why = trial.message or "how it ended is not known"
        return [
            Check(
                name,
                "missing",
                why,
                "it is not known whether the import works",
                "run it by hand: python -X dev",
                area="import",
            )
        ]
    how = f"by {trial.signal}" if trial.signal else f"with exit status {trial.exit_code}"
    code = f" [{trial.code}, {trial.certainty}]" if trial.code else ""
    said = f"; last output: {trial.last_words}" if trial.signal and trial.last_words else ""
    remedy = "; ".join(trial.remedies[:2]) or "fix what is marked above, then run `whydied doctor --import` again"
    return [
        Check(
            name,
            "broken",
            f"{trial.stage} ended {how}: {trial.message or 'the reason is not known'}{code}{said}",
            "every program that uses TensorFlow fails there",
            remedy,
            area="import",
        )
    ]
