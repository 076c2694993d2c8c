"""What to run: the four forms of a command, their arguments and environment; runs in the parent.

Invariant: the program's environment differs from ours only by the four variables that bring the recorder into
Python processes, and the module search path gets no entry that means the working directory.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from whydied import places
from whydied.places import RunDirectory, names_in

Form = Literal["script", "module", "command", "notebook"]
_PACKAGE = Path(__file__).resolve().parent.parent
BOOTSTRAP = _PACKAGE / "inside" / "bootstrap"
_NEAR = 3
# Isolated, so that the recorder stays out of it: the kernel below it is the program.
_NOTEBOOK_ENTRY = (
    "import json, sys; sys.path.extend(json.loads(sys.argv[1])); "
    "from whydied.jupyter.notebook import main; main(sys.argv[2:])"
)


class Command(NamedTuple):
    """`words` is the script, module or command with its arguments, as the user wrote them."""

    form: Form
    words: tuple[str, ...]

    @property
    def shown(self) -> list[str]:
        """The command in short, as reports name it."""
        return ["-m", *self.words] if self.form == "module" else list(self.words)

    @property
    def argv(self) -> list[str]:
        """What is executed."""
        if self.form == "script":
            return [sys.executable, *self.words]
        if self.form == "notebook":
            return [sys.executable, "-I", "-c", _NOTEBOOK_ENTRY, json.dumps(import_path()), *self.words]
        return [sys.executable, "-m", *self.words] if self.form == "module" else list(self.words)

    @property
    def label(self) -> str:
        """A word for the run's directory."""
        return os.path.basename(self.words[0]).removesuffix(".py").removesuffix(".ipynb") if self.words else "run"


class Missing(NamedTuple):
    """Why a command cannot be started: one sentence, what was wanted, what exists like it, and what to do."""

    sentence: str
    wanted: str
    near: list[str]
    hint: str


def find_missing(command: Command) -> Missing | None:
    """What keeps the command from starting, as far as that can be known before."""
    if command.form in ("script", "notebook"):
        return _missing_script(command.words[0])
    return _missing_command(command.words[0]) if command.form == "command" else None


def environment(
    directory: RunDirectory,
    *,
    options: Sequence[str] = (),
    watched_bytes: int | None = None,
    base: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """The program's environment: ours, and the way for the recorder, with its words, into every Python below."""
    env = dict(os.environ if base is None else base)
    # An empty entry would put the working directory on the search path, which nobody asked for.
    others = [entry for entry in env.get("PYTHONPATH", "").split(os.pathsep) if entry != os.fspath(BOOTSTRAP)]
    kept = os.pathsep.join(others)
    env["PYTHONPATH"] = os.pathsep.join([os.fspath(BOOTSTRAP), kept]) if kept else os.fspath(BOOTSTRAP)
    env[places.ENV_RUN] = os.fspath(directory.path)
    env[places.ENV_HOME] = os.fspath(_PACKAGE.parent)
    env.pop(places.ENV_OPTIONS, None)
    if options:
        env[places.ENV_OPTIONS] = ",".join(options)
    env.pop(places.ENV_MEMORY_LIMIT, None)
    if watched_bytes is not None:
        env[places.ENV_MEMORY_LIMIT] = str(watched_bytes)
    return env


def plain_environment(base: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment without the recorder, for helpers of ours that must not record themselves."""
    env = dict(os.environ if base is None else base)
    for name in (places.ENV_RUN, places.ENV_HOME, places.ENV_OPTIONS, places.ENV_MEMORY_LIMIT):
        env.pop(name, None)
    others = [entry for entry in env.pop("PYTHONPATH", "").split(os.pathsep) if entry != os.fspath(BOOTSTRAP)]
    if any(others):
        env["PYTHONPATH"] = os.pathsep.join(others)
    return env


def import_path() -> list[str]:
    """Where a helper of ours that starts without our environment finds us and what we need."""
    return [entry for entry in sys.path if os.path.isabs(entry) and entry != os.fspath(BOOTSTRAP)]


def _missing_script(script: str) -> Missing | None:
    if script == "-" or os.path.exists(script):
        return None
    folder = os.path.dirname(script)
    near = [os.path.join(folder, name) for name in _near(os.path.basename(script), names_in(folder or "."))]
    if folder and not os.path.isdir(folder):
        sentence = f"no such script: {script} (the directory {folder} does not exist)"
    else:
        sentence = f"no such script: {script} (in {os.path.abspath(folder or '.')})"
    if shutil.which(script) and not folder:
        hint = f"to run a command instead of a script, write: whydied run -- {script} …"
    else:
        hint = _did_you_mean(near) or "check the name and the directory"
    return Missing(sentence, script, near, hint)


def _missing_command(word: str) -> Missing | None:
    if shutil.which(word):
        return None
    if os.path.isdir(word):
        return Missing(f"{word} is a directory, not a command", word, [], "name the program to run")
    if os.path.isfile(word) and os.path.dirname(word):
        hint = f"chmod +x {word}, or name its interpreter: whydied run -- bash {word}"
        return Missing(f"{word} is not executable", word, [], hint)
    if os.path.dirname(word):
        folder = os.path.dirname(word)
        near = [os.path.join(folder, name) for name in _near(os.path.basename(word), names_in(folder))]
        return Missing(f"no such command: {word}", word, near, _did_you_mean(near) or "check the path")
    searched = os.environ.get("PATH", os.defpath).split(os.pathsep)
    near = _near(word, [name for folder in searched if folder for name in names_in(folder)])
    hint = _did_you_mean(near) or "install it, or check PATH"
    if os.path.isfile(word):
        hint = f"to run the file in this directory, write ./{word}"
    return Missing(f"no such command on the PATH: {word}", word, near, hint)


def _near(wanted: str, names: list[str]) -> list[str]:
    import difflib

    by_lower = {name.lower(): name for name in names}
    found = difflib.get_close_matches(wanted.lower(), by_lower, _NEAR)
    return [by_lower[name] for name in found]


def _did_you_mean(near: list[str]) -> str | None:
    return f"did you mean {' or '.join(near)}?" if near else None
