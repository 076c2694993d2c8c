"""How often a guess removes the failure: tries the generic candidates of `whydied.prove.guesses` on programs.

    python benchmarks/guesses.py                      the programs of other people whose report has no patch
    python benchmarks/guesses.py --only 'shapes/*'    some of them
    python benchmarks/guesses.py --part 2/3           a random third, the second
    python benchmarks/guesses.py --keep DIR           recordings and results of trials stay there, and are used again

A program runs once under `whydied run`. Then each guess is written into a copy of it, and the copy runs until one
finishes or fails at a later statement. All copies are started from one process that has TensorFlow loaded, which saves
the seconds of its import. Prints what was proved and whether the edited line is one of those that the accepted answer
changed (`# <- cause`); saves it as JSON below benchmarks/results/.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import hashlib
import importlib
import json
import os
import random
import runpy
import shutil
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from corpus import Case, load, matching
from trial import run
from whydied.diagnose.case import Case as Run
from whydied.diagnose.engine import diagnose
from whydied.diagnose.finding import Candidate
from whydied.places import RunDirectory
from whydied.prove.guesses import guesses
from whydied.read.recording import load as load_recording
from whydied.source.edits.edit import edited

HERE = Path(__file__).resolve().parent
KINDS = ("shapes", "labels", "ops", "misuse", "far", "sessions", "callbacks", "loops", "data", "saving")
LONGEST_S = 100.0
SEED = 14
Frames = list[tuple[str, str, int]]
"""Lines of the program that were running, outermost first: file, function, line."""


class End(NamedTuple):
    """How a copy ended: "" for the exception where it finished."""

    error: str
    frames: Frames


class Tried(NamedTuple):
    """One program. `number` counts the guess that helped from 1; 0 where none did. `at_cause` says whether the line is
    one that the answer changed; `how` is "finished" or "further"."""

    program: str
    rule: str
    offered: int
    number: int = 0
    title: str = ""
    how: str = ""
    at_cause: bool = False
    problem: str = ""


def main() -> int:
    options = _parser().parse_args()
    cases = [case for case in load(HERE.parent / "tests" / "others") if _is_asked(case)]
    cases = _part(cases, options.part) if options.part else cases
    # The cells of a notebook are no files that could be edited.
    cases = [case for case in matching(cases, options.only) if case.program.suffix != ".ipynb"]
    _load_libraries()
    asked: list[Tried] = []
    with tempfile.TemporaryDirectory(prefix="whydied-guesses-") as scratch:
        place = options.keep or Path(scratch)
        for number, case in enumerate(cases, 1):
            found = _ask(case, place, options.all)
            if found is None:
                continue
            asked.append(found)
            what = f"{found.how} with {found.number}: {found.title} {'AT CAUSE' if found.at_cause else ''}"
            said = found.problem or (what if found.number else "-")
            print(f"{number}/{len(cases)} {found.program} [{found.rule}] {found.offered}: {said}", flush=True)
    _print(asked)
    print(f"saved as {_save(asked)}")
    return 0


def _load_libraries() -> None:
    """What the copies, which are forked from here, would import. No op may run in this process."""
    for name in ("tensorflow", "keras", "pandas", "sklearn.model_selection", "sklearn.preprocessing", "PIL.Image"):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Try generic guesses on programs whose report has no patch.")
    parser.add_argument("--only", action="append", metavar="PATTERN", help="only names that match, like 'shapes/*'")
    parser.add_argument("--part", metavar="N/M", help="the N-th of M random parts")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep recordings and results of trials there")
    parser.add_argument("--all", action="store_true", help="also programs whose report has a patch")
    return parser


def _is_asked(case: Case) -> bool:
    kind = case.name.partition("/")[0]
    return kind in KINDS and not case.expected.healthy and case.lacking() is None


def _part(cases: list[Case], which: str) -> list[Case]:
    number, of = map(int, which.split("/"))
    random.Random(SEED).shuffle(cases)
    return cases[number - 1 :: of]


def _ask(case: Case, place: Path, also_patched: bool) -> Tried | None:
    kept = place / case.name
    if not (kept / "report.json").exists():
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir(parents=True)
        if run(case, kept).problem:
            return None
    recording = load_recording(RunDirectory(next((kept / "runs").iterdir())))
    own = Run(recording)
    diagnosis = diagnose(recording, case=own)
    if own.uncaught is None or diagnosis.cause is None or (diagnosis.fixes and not also_patched):
        return None
    offered = guesses(own, diagnosis)
    found = Tried(case.name, diagnosis.cause.name, len(offered))
    before = _end(case, {}, kept)
    if before is None or not before.error:
        return found._replace(problem="does not fail again when started from a loaded TensorFlow")
    for number, one in enumerate(offered, 1):
        texts = _texts(own, one)
        after = _end(case, texts, kept)
        how = _progress(case, before, after, texts)
        if how:
            line = one.finding.location
            at_cause = line is not None and any(line.line <= at <= (line.end_line or line.line) for at in case.lines)
            return found._replace(number=number, title=one.change.title, how=how, at_cause=at_cause)
    return found


def _texts(own: Run, one: Candidate) -> dict[str, str]:
    files = {edit.file for edit in one.change.edits}
    texts = {
        file: edited(own.project[file], [edit for edit in one.change.edits if edit.file == file]) for file in files
    }
    return {file: text for file, text in texts.items() if text is not None}


def _end(case: Case, texts: dict[str, str], kept: Path) -> End | None:
    """How a copy with other texts ends; from the results that are kept where it ran already."""
    results = kept / "trials.json"
    known: dict[str, Any] = _read(results) or {}
    key = hashlib.sha256(json.dumps(texts, sort_keys=True).encode()).hexdigest()
    if key not in known:
        known[key] = _run_copy(case, texts)
        results.write_text(json.dumps(known))
    found = known[key]
    return End(found[0], [(file, function, line) for file, function, line in found[1]]) if found else None


def _run_copy(case: Case, texts: dict[str, str]) -> list[Any] | None:
    with tempfile.TemporaryDirectory(prefix="whydied-guess-") as scratch:
        copy = Path(scratch).resolve() / "programs"
        shutil.copytree(case.directory, copy)
        for file, text in texts.items():
            (copy / Path(file).resolve().relative_to(case.directory.resolve())).write_text(text)
        (Path(scratch) / "work").mkdir()
        child = os.fork()
        if child == 0:
            _run_here(case, copy, Path(scratch))
        found: list[Any] | None = _read(Path(scratch) / "end") if _wait(child) else None
        return found


def _read(file: Path) -> Any:
    """The content of a file of JSON; None where it is not there or was not written to its end."""
    try:
        return json.loads(file.read_text())
    except (OSError, ValueError):
        return None


def _run_here(case: Case, copy: Path, scratch: Path) -> None:
    """In the forked process: become the program."""
    os.setsid()
    sink = os.open(scratch / "output", os.O_WRONLY | os.O_CREAT)
    os.dup2(sink, 1)
    os.dup2(sink, 2)
    in_place = case.expected.module or case.expected.relative
    os.chdir(copy if in_place else scratch / "work")
    program = copy / case.program.relative_to(case.directory)
    end: list[Any] = ["", []]
    sys.path[0] = str(program if program.is_dir() else program.parent)
    try:
        if case.expected.module:
            sys.path[0] = str(copy)
            sys.argv = [case.expected.module, *case.expected.argv]
            runpy.run_module(case.expected.module, run_name="__main__", alter_sys=True)
        else:
            sys.argv = [str(program), *case.expected.argv]
            runpy.run_path(str(program), run_name="__main__")
    except SystemExit as error:
        end = [f"SystemExit: {error.code}" if error.code else "", []]
    except BaseException as error:
        frames = [one for one in traceback.extract_tb(error.__traceback__) if one.filename.startswith(str(copy))]
        end = [
            f"{type(error).__name__}: {error}"[:500],
            [(os.path.relpath(one.filename, copy), one.name, one.lineno) for one in frames],
        ]
    (scratch / "end").write_text(json.dumps(end))
    os._exit(0)


def _wait(child: int) -> bool:
    """Whether it ended by itself in time."""
    deadline = time.monotonic() + LONGEST_S
    while time.monotonic() < deadline:
        if os.waitpid(child, os.WNOHANG)[0]:
            return True
        time.sleep(0.02)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def _progress(case: Case, before: End, after: End | None, texts: dict[str, str]) -> str:
    """ "finished", "further" where it failed at a later statement, else nothing."""
    if after is None:
        return ""
    if not after.error:
        return "finished"
    changed = {os.path.relpath(file, case.directory.resolve()): text for file, text in texts.items()}
    for (file, function, line), (was_in, was_of, was) in zip(after.frames, before.frames, strict=False):
        if (file, function) != (was_in, was_of):
            return ""
        if file in changed:
            line = _old_line(case.directory / file, changed[file], line)
        if line != was:
            return "further" if line > was else ""
    return ""


def _old_line(file: Path, text: str, line: int) -> int:
    """The line of the file as it was that a line of the edited one is, or comes before."""
    old, new = file.read_text().splitlines(), text.splitlines()
    for tag, first, last, begin, end in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if begin < line <= end:
            return first + (line - begin) if tag == "equal" else min(first + (line - begin), max(last, first + 1))
    return line


def _print(asked: list[Tried]) -> None:
    proved = [one for one in asked if one.number]
    print(f"\n{'rule':34}{'programs':>9}{'proved':>8}{'at cause':>9}")
    for rule in sorted({one.rule for one in asked}):
        own = [one for one in asked if one.rule == rule]
        good = [one for one in own if one.number]
        print(f"{rule:34}{len(own):>9}{len(good):>8}{sum(one.at_cause for one in good):>9}")
    finished = [one for one in proved if one.how == "finished"]
    print(
        f"\n{len(asked)} programs: {len(proved)} get past the failure by a guess ({len(finished)} finish), "
        f"{sum(one.at_cause for one in proved)} of them at a line that the answer changes; "
        f"{sum(one.number or one.offered for one in asked)} trials"
    )


def _save(asked: list[Tried]) -> Path:
    place = HERE / "results" / f"guesses-{time.strftime('%Y%m%d-%H%M%S')}.json"
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(msgspec.json.format(msgspec.json.encode([one._asdict() for one in asked]), indent=2))
    return place


if __name__ == "__main__":
    sys.exit(main())
