"""Whether the libraries that are installed here still say what whydied looks for.

    python scripts/texts.py                  all texts of src/whydied/texts
    python scripts/texts.py layers saving    those of some modules; `session_errors.CLOSED` is a single one
    python scripts/texts.py --record         also write the versions that said them into tests/texts

Runs what provokes each text: lines of Python all in one process, and once more with Keras 2 where tf_keras is there;
programs, and lines that end their process, in one each. Prints which texts were found, which no longer are (this major
version of the library said them before), which only other versions say, and which nothing provokes. Exit status 1 if
there are some of the second kind.
"""

from __future__ import annotations

import argparse
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

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PROJECT = Path(__file__).resolve().parent.parent
PROGRAMS = PROJECT / "tests" / "programs"
KNOWN = PROJECT / "tests" / "texts"
LONGEST_S = 600
_TENSORFLOW = ("tensorflow", "tensorflow-cpu", "tensorflow-intel")
_SHOWN = 300


class Entry(NamedTuple):
    """A text with how we know that it is said. `example` is what the library says, cut to what matters. `provoked_by`
    makes it say so: a program under tests/programs (`native/unbatch_rank.py`), or a few lines of Python that find `tf`,
    `v1`, `keras` and `np` imported. `alone` are lines that get a process of their own, with nothing imported, because
    they end it or set it up. `seen` are the versions that have said it. `known_from` says where a text is from that
    nothing here provokes: the version, the hardware or the report that has it."""

    text: Text
    example: str
    seen: tuple[str, ...] = ()
    provoked_by: str = ""
    alone: bool = False
    known_from: str = ""

    @property
    def library(self) -> str:
        return self.text.library


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


def catalogue() -> dict[str, Entry]:
    """Every entry by its id, such as `session_errors.CLOSED`."""
    found: dict[str, Entry] = {}
    for module in pkgutil.iter_modules(whydied.texts.__path__):
        names = vars(importlib.import_module(f"whydied.texts.{module.name}"))
        texts = {name: text for name, text in names.items() if isinstance(text, Text)}
        known = _known(KNOWN / f"{module.name}.toml") if texts else {}
        if texts.keys() != known.keys():
            raise SystemExit(f"{module.name}: texts and tests/texts differ: {sorted(texts.keys() ^ known.keys())}")
        for name, text in texts.items():
            facts = known[name]
            found[f"{module.name}.{name}"] = Entry(text, **{**facts, "seen": tuple(facts.get("seen", ()))})
    return found


def _known(path: Path) -> dict[str, dict[str, Any]]:
    return tomllib.loads(path.read_text("utf-8")) if path.exists() else {}


def _is_asked(name: str, modules: list[str]) -> bool:
    return not modules or name in modules or name.partition(".")[0] in modules


def matches(text: Text, heard: list[str]) -> bool:
    """Whether one of several messages has the text in it, or a line of one, also without the space around it."""
    pattern = text.pattern
    lines = [form for one in heard for line in one.splitlines() for form in (line, line.strip())]
    return any(pattern.search(one) for one in [*heard, *lines])


def _outcome(text: Entry, library: str, heard: list[str]) -> Outcome:
    said = next((" ".join(one.split())[:_SHOWN] for one in heard if one.strip()), "nothing")
    return Outcome(_version(library), matches(text.text, heard), said)


def _version(library: str) -> str:
    """`tensorflow 2.21`; the bare name of what has no version here."""
    if library == "python":
        return f"python {sys.version_info.major}.{sys.version_info.minor}"
    for distribution in _TENSORFLOW if library == "tensorflow" else (library,):
        with contextlib.suppress(metadata.PackageNotFoundError):
            return f"{library} {'.'.join(metadata.version(distribution).split('.')[:2])}"
    return library


# Programs, and what ends its process.


def _in_their_own(texts: dict[str, Entry]) -> Iterator[tuple[str, Outcome]]:
    heard: dict[str, list[str]] = {}
    for name, text in texts.items():
        if text.alone or text.provoked_by.endswith(".py"):
            # Several texts are of one crash.
            if text.provoked_by not in heard:
                heard[text.provoked_by] = _output(text)
            yield name, _outcome(text, text.library, heard[text.provoked_by])


def _output(text: Entry) -> list[str]:
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


def _in_one_process(texts: dict[str, Entry]) -> Iterator[tuple[str, Outcome]]:
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


def _heard_of(keras: str, texts: dict[str, Entry]) -> dict[str, list[str]]:
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


def report(texts: dict[str, Entry], outcomes: dict[str, list[Outcome]]) -> int:
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


def _was_said(text: Entry, outcomes: list[Outcome]) -> bool:
    """Whether one of the libraries that were asked has said it in this major version, or nothing ever has."""
    before = {version.partition(".")[0] for version in text.seen}
    return bool(outcomes) and (not before or any(one.version.partition(".")[0] in before for one in outcomes))


def _record(texts: dict[str, Entry], outcomes: dict[str, list[Outcome]]) -> None:
    """Add the versions that said a text to those which its entry has."""
    for name, text in texts.items():
        module, _, constant = name.partition(".")
        versions = {*text.seen, *(one.version for one in outcomes[name] if one.found)}
        if versions != set(text.seen):
            path = KNOWN / f"{module}.toml"
            path.write_text(with_versions(path.read_text("utf-8"), constant, sorted(versions)), "utf-8")


def with_versions(source: str, name: str, versions: list[str]) -> str:
    """A file of tests/texts with other versions in one entry, which follow its heading."""
    lines = source.splitlines(keepends=True)
    at = lines.index(f"[{name}]\n") + 1
    old = lines[at].startswith("seen = ")
    lines[at : at + (1 if old else 0)] = [f"seen = {json.dumps(versions)}\n"]
    return "".join(lines)


if __name__ == "__main__":
    sys.exit(main())
