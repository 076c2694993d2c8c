"""Whether the libraries that are installed here still say what whydied looks for.

    python scripts/texts.py                  all texts of src/whydied/texts
    python scripts/texts.py layers saving    those of some modules; `session_errors.CLOSED` is a single one
    python scripts/texts.py --record         also write the versions that said them into the entries

Runs what provokes each text: lines of Python all in one process, and once more with Keras 2 where tf_keras is there;
programs, and lines that end their process, in one each. Prints which texts were found, which no longer are (this major
version of the library said them before), which only other versions say, and which nothing provokes. Exit status 1 if
there are some of the second kind.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib
import importlib.util
import json
import os
import pkgutil
import runpy
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import whydied.texts
from whydied.texts.entry import Text

PROJECT = Path(__file__).resolve().parent.parent
PROGRAMS = PROJECT / "tests" / "programs"
LONGEST_S = 600
_TENSORFLOW = ("tensorflow", "tensorflow-cpu", "tensorflow-intel")
_SHOWN = 300


class Outcome(NamedTuple):
    """`version` is that of the library which was asked, `said` what was heard of it."""

    version: str
    found: bool
    said: str


def main() -> int:
    options = _parser().parse_args()
    if options.provoke:
        given = json.loads(options.provoke.read_text("utf-8"))
        options.provoke.write_text(json.dumps(_provoked(given)), "utf-8")
        return 0
    texts = {name: text for name, text in catalogue().items() if _is_asked(name, options.modules)}
    outcomes: dict[str, list[Outcome]] = {name: [] for name in texts}
    for name, outcome in [*_in_one_process(texts), *_in_their_own(texts)]:
        outcomes[name].append(outcome)
    if options.record:
        _record(texts, outcomes)
    return report(texts, outcomes)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Which texts of the catalogue the installed libraries still say.")
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="modules of whydied.texts, or single entries")
    parser.add_argument("--record", action="store_true", help="write the versions that said them into the entries")
    parser.add_argument("--provoke", type=Path, help=argparse.SUPPRESS)
    return parser


def catalogue() -> dict[str, Text]:
    """Every entry by its id, such as `session_errors.CLOSED`."""
    found: dict[str, Text] = {}
    for module in pkgutil.iter_modules(whydied.texts.__path__):
        names = vars(importlib.import_module(f"whydied.texts.{module.name}"))
        found |= {f"{module.name}.{name}": text for name, text in names.items() if isinstance(text, Text)}
    return found


def _is_asked(name: str, modules: list[str]) -> bool:
    return not modules or name in modules or name.partition(".")[0] in modules


def matches(text: Text, heard: list[str]) -> bool:
    """Whether one of several messages has the text in it, or a line of one, also without the space around it."""
    pattern = text.pattern
    lines = [form for one in heard for line in one.splitlines() for form in (line, line.strip())]
    return any(pattern.search(one) for one in [*heard, *lines])


def _outcome(text: Text, library: str, heard: list[str]) -> Outcome:
    said = next((" ".join(one.split())[:_SHOWN] for one in heard if one.strip()), "nothing")
    return Outcome(_version(library), matches(text, heard), said)


def _version(library: str) -> str:
    """`tensorflow 2.21`; the bare name of what has no version here."""
    if library == "python":
        return f"python {sys.version_info.major}.{sys.version_info.minor}"
    for distribution in _TENSORFLOW if library == "tensorflow" else (library,):
        with contextlib.suppress(metadata.PackageNotFoundError):
            return f"{library} {'.'.join(metadata.version(distribution).split('.')[:2])}"
    return library


# Programs, and what ends its process.


def _in_their_own(texts: dict[str, Text]) -> Iterator[tuple[str, Outcome]]:
    heard: dict[str, list[str]] = {}
    for name, text in texts.items():
        if text.alone or text.provoked_by.endswith(".py"):
            # Several texts are of one crash.
            if text.provoked_by not in heard:
                heard[text.provoked_by] = _output(text)
            yield name, _outcome(text, text.library, heard[text.provoked_by])


def _output(text: Text) -> list[str]:
    with tempfile.TemporaryDirectory() as directory:
        script = PROGRAMS / text.provoked_by
        if text.alone:
            script = Path(directory, "provoke.py")
            script.write_text(text.provoked_by, "utf-8")
        command = [sys.executable, str(script)]
        # As for the corpus: on some processors oneDNN is off by default, and with it a part of the kernels.
        environment = {**os.environ, "TF_ENABLE_ONEDNN_OPTS": "1"}
        try:
            ran = subprocess.run(command, cwd=directory, env=environment, capture_output=True, timeout=LONGEST_S)
        except subprocess.TimeoutExpired:
            return [f"nothing in {LONGEST_S} s"]
    return [ran.stderr.decode(errors="replace"), ran.stdout.decode(errors="replace")]


# Lines of Python, together.


def _in_one_process(texts: dict[str, Text]) -> Iterator[tuple[str, Outcome]]:
    lines = {
        name: t for name, t in texts.items() if t.provoked_by and not t.alone and not t.provoked_by.endswith(".py")
    }
    of_keras = {name: text for name, text in lines.items() if text.library in ("keras", "tf_keras")}
    groups = [("keras", {name: text for name, text in lines.items() if text.library != "tf_keras"})]
    groups += [("tf_keras", of_keras)] if importlib.util.find_spec("tf_keras") is not None else []
    for keras, group in groups:
        heard = _heard_of(keras, group) if group else {}
        for name, text in group.items():
            yield name, _outcome(text, keras if name in of_keras else text.library, heard[name])


def _heard_of(keras: str, texts: dict[str, Text]) -> dict[str, list[str]]:
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "1"}
    environment |= {"TF_USE_LEGACY_KERAS": "1"} if keras == "tf_keras" else {}
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, "provocations.json")
        file.write_text(json.dumps({name: text.provoked_by for name, text in texts.items()}), "utf-8")
        command = [sys.executable, __file__, "--provoke", str(file)]
        ran = subprocess.run(command, cwd=directory, env=environment, capture_output=True, timeout=4 * LONGEST_S)
        if ran.returncode:
            sys.exit(f"texts: the provocations with {keras} ended the process:\n{ran.stderr.decode()[-3000:]}")
        heard: dict[str, list[str]] = json.loads(file.read_text("utf-8"))
    return heard


def _provoked(codes: dict[str, str]) -> dict[str, list[str]]:
    """What each piece of code makes the libraries say: exceptions, warnings, output."""
    import numpy as np
    import tensorflow as tf

    keras = importlib.import_module("tf_keras" if os.environ.get("TF_USE_LEGACY_KERAS") else "keras")
    names = {"np": np, "tf": tf, "v1": tf.compat.v1, "keras": keras}
    return {name: _heard(name, code, names) for name, code in codes.items()}


def _heard(name: str, code: str, names: dict[str, Any]) -> list[str]:
    directory = Path(name).resolve()
    directory.mkdir()
    # AutoGraph converts only functions whose source is in a file.
    script = directory / "provoke.py"
    script.write_text(code + "\n", "utf-8")
    raised: list[str] = []
    with _output_into(directory / "output") as output, warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        os.chdir(directory)
        try:
            runpy.run_path(str(script), names, "__main__")
        except BaseException as error:
            raised = [*_messages(error), traceback.format_exc()]
        os.chdir(directory.parent)
    return [*raised, *(str(one.message) for one in warned), output.read_text("utf-8", "replace")]


@contextlib.contextmanager
def _output_into(file: Path) -> Iterator[Path]:
    """What native code writes goes there too."""
    kept = [os.dup(number) for number in (1, 2)]
    with file.open("w") as output:
        for number in (1, 2):
            os.dup2(output.fileno(), number)
        try:
            yield file
        finally:
            sys.stdout.flush()
            for number, old in enumerate(kept, 1):
                os.dup2(old, number)
                os.close(old)


def _messages(error: BaseException | None) -> list[str]:
    found: list[str] = []
    while error is not None and len(found) < 10:
        found.append(str(error))
        error = error.__cause__ or error.__context__
    return found


# The answer.


def report(texts: dict[str, Text], outcomes: dict[str, list[Outcome]]) -> int:
    found = [name for name in texts if any(one.found for one in outcomes[name])]
    lost = [name for name, text in texts.items() if name not in found and _was_said(text, outcomes[name])]
    other = [name for name in texts if outcomes[name] and name not in [*found, *lost]]
    silent = [name for name in texts if not outcomes[name]]
    print(f"found: {len(found)} of {len(texts)} texts")
    for name in found:
        print(f"  {name}: {', '.join(one.version for one in outcomes[name] if one.found)}")
    for title, names in (("no longer found", lost), ("said only by other versions", other)):
        print(f"{title}: {len(names)}")
        for name in names:
            print(f"  {name}, seen in {', '.join(texts[name].seen) or 'no version'}")
            print(*(f"    {one.version}: {one.said}" for one in outcomes[name]), sep="\n")
    print(f"provoked by nothing: {len(silent)}")
    for name in silent:
        print(f"  {name}: {texts[name].known_from}")
    return 1 if lost else 0


def _was_said(text: Text, outcomes: list[Outcome]) -> bool:
    """Whether one of the libraries that were asked has said it in this major version, or nothing ever has."""
    before = {version.partition(".")[0] for version in text.seen}
    return bool(outcomes) and (not before or any(one.version.partition(".")[0] in before for one in outcomes))


def _record(texts: dict[str, Text], outcomes: dict[str, list[Outcome]]) -> None:
    """Add the versions that said a text to those which its entry has."""
    modules: dict[str, dict[str, tuple[str, ...]]] = {}
    for name, text in texts.items():
        module, _, constant = name.partition(".")
        versions = {*text.seen, *(one.version for one in outcomes[name] if one.found)}
        if versions != set(text.seen):
            modules.setdefault(module, {})[constant] = tuple(sorted(versions))
    for module, seen in modules.items():
        path = PROJECT / "src" / "whydied" / "texts" / f"{module}.py"
        path.write_text(with_versions(path.read_text("utf-8"), seen), "utf-8")
    if modules:
        subprocess.run([sys.executable, "-m", "ruff", "format", "--quiet", PROJECT / "src" / "whydied" / "texts"])


def with_versions(source: str, seen: dict[str, tuple[str, ...]]) -> str:
    """The source of a module with other versions in the entries that are named."""
    lines = source.splitlines(keepends=True)
    for node in reversed(ast.parse(source).body):
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        name = getattr(node.targets[0], "id", "")
        if name not in seen:
            continue
        words = node.value.keywords
        old = next((word for word in words if word.arg == "seen"), None)
        place = old or words[0]
        first, last = place.lineno - 1, (place.end_lineno or place.lineno) - 1
        begin, end = place.col_offset, place.end_col_offset if old else place.col_offset
        written = f"seen={seen[name]!r}" if old else f"seen={seen[name]!r}, "
        rest = lines[last][end:] if old else lines[first][begin:]
        lines[first : (last if old else first) + 1] = [lines[first][:begin] + written + rest]
    return "".join(lines)


if __name__ == "__main__":
    sys.exit(main())
