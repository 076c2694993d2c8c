"""Whether a proved fix is found: lets `whydied prove` try on each failing program what would mend it, and applies it.

    python benchmarks/prove.py                    the project's programs of memory, numerics, shapes, data and API names
    python benchmarks/prove.py DIR… --only 'shapes/*'
    python benchmarks/prove.py --most 60          as many, spread over all causes

A copy of the program dies under `whydied run`, `whydied prove` tries changes on it, and the first proved patch is
applied to the copy, which then runs without whydied, under the same memory limit. Right is a program whose proved
patch applies and lets it finish (or run on, where it runs for ever). A proof may overturn the diagnosis, so the cause
that the report names after it is compared with the truth beside the program too: its name, line, culprit and rows.
Prints a table by cause, what is not proved and which cause is wrong; saves all of it as JSON below
benchmarks/results/. Exit status 0 when nine of ten have a proved fix, every patch works and no proof made a right
cause wrong.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import msgspec

from advice import applied
from corpus import Case, ExpectationError, load, matching
from trial import environment, run, run_plain
from verdict import cause_problems
from whydied import places
from whydied.config import parse_memory_limit
from whydied.prove import proof as proofs
from whydied.report.summary import Report, from_json
from whydied.run.observe import limits

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE.parent / "tests" / "programs"
KINDS = ("MEM", "NUM", "SHP", "DAT", "ENV001", "ENV002", "FRM", "GRF")
WANTED = 0.9
LONGEST_S = 900.0
PLAIN_S = 100.0


class Proved(NamedTuple):
    """`verdict` is that of the best fix, "none" without one; `tries` counts trials up to the first that was proved;
    `problem` is what is wrong with its patch; `told` and `after` what is wrong with the cause, as it was told and after
    the proof."""

    program: str
    cause: str
    verdict: str
    title: str
    tries: int
    wall_s: float
    problem: str
    told: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


def main() -> int:
    options = _parser().parse_args()
    try:
        cases = [one for place in options.directories or [PROGRAMS] for one in load(place.resolve()) if _fails(one)]
    except ExpectationError as error:
        print(f"prove: {error}", file=sys.stderr)
        return 2
    chosen = matching(cases, options.only)
    if not options.only and not options.directories:
        chosen = [case for case in chosen if _is_wanted(case)]
    if options.most:
        chosen = _spread(chosen, options.most)
    done = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for number, one in enumerate(pool.map(_prove, chosen), 1):
            done.append(one)
            print(
                f"{number}/{len(chosen)} {one.program} {one.cause} {one.verdict} {one.title} "
                f"({one.tries} tries, {one.wall_s:.0f} s) {one.problem}{_misnamed(one)}",
                file=sys.stderr,
                flush=True,
            )
    if not done:
        print("prove: no program that fails was found", file=sys.stderr)
        return 2
    right = _print(done)
    print(f"saved as {_save(done)}")
    broken = any((one.problem and one.verdict == "proved") or (one.after and not one.told) for one in done)
    return 0 if right >= WANTED and not broken else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Let whydied prove a fix for each failing program, and apply it.")
    parser.add_argument("directories", nargs="*", type=Path, metavar="DIR", help="directories of programs")
    parser.add_argument("--only", action="append", metavar="PATTERN", help="only names that match, like 'shapes/*'")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time (default 1)")
    parser.add_argument("--most", type=int, help="at most so many programs, spread over the causes")
    return parser


def _fails(case: Case) -> bool:
    expected = case.expected
    return not expected.healthy and case.lacking() is None and case.program.is_file() and not expected.signal


def _is_wanted(case: Case) -> bool:
    from whydied.diagnose.registry import find_rule

    rules = {name: find_rule(name) for name in case.expected.causes}
    return any((rule.code if rule else name).startswith(KINDS) for name, rule in rules.items())


def _spread(cases: list[Case], most: int) -> list[Case]:
    """One of each cause in turn."""
    by_cause: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        by_cause[case.label].append(case)
    rounds = [own[at] for at in range(len(cases)) for own in by_cause.values() if at < len(own)]
    return sorted(rounds[:most], key=lambda case: case.name)


def _prove(case: Case) -> Proved:
    with tempfile.TemporaryDirectory(prefix="whydied-proof-") as place:
        scratch = Path(place).resolve()
        copy = scratch / "programs"
        shutil.copytree(case.directory, copy)
        file = copy / case.file.relative_to(case.directory) if case.file else None
        moved = case._replace(directory=copy, program=copy / case.program.name, file=file)
        trial_place = scratch / "trial"
        trial_place.mkdir()
        first = run(moved, trial_place)
        if first.report is None or (cause := from_json(first.report).cause) is None:
            nothing = ("no cause",)
            return Proved(case.name, "", "none", "", 0, 0.0, first.problem or "no cause", nothing, nothing)
        told = cause_problems(moved, cause)
        began = time.monotonic()
        report, words = _proven(moved, trial_place)
        taken_s = time.monotonic() - began
        if report is None or report.cause is None:
            return Proved(case.name, cause.code, "none", "", 0, taken_s, words, told, told)
        fix = report.fixes[0] if report.fixes else None
        tries = _tries(trial_place / "runs")
        name = f"{report.cause.code} {report.cause.name}"
        named = Proved(case.name, name, "none", "", tries, taken_s, words, told, cause_problems(moved, report.cause))
        if fix is None or fix.verdict != "proved":
            return named._replace(verdict=fix.verdict if fix else "none")
        problem = _problem(moved, fix.patch or "", scratch / "plain", first.wall_s)
        return named._replace(verdict=fix.verdict, title=fix.title, problem=problem)


def _misnamed(one: Proved) -> str:
    """What is wrong with the cause after the proof, in brackets; "" where it is right."""
    if not one.after:
        return "" if not one.told else " [the proof corrected the cause]"
    blame = "as before the proof" if one.told else "right before the proof"
    return f" [{blame}: {'; '.join(one.after)[:300]}]"


def _tries(runs: Path) -> int:
    """Trials up to the first that was proved, guesses among them; all of them where none was."""
    proof = proofs.read(places.list_runs(runs)[-1].proof)
    ran = [one.verdict for one in proof.tried if one.words] if proof else []
    return ran.index("proved") + 1 if "proved" in ran else len(ran)


def _proven(case: Case, place: Path) -> tuple[Report | None, str]:
    argv = [sys.executable, "-m", "whydied", "prove", "--json", "--runs", str(place / "runs")]
    in_place = case.expected.module or case.expected.relative
    done = subprocess.run(
        argv,
        cwd=case.directory if in_place else place / "work",
        env=environment(case, None),
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=LONGEST_S + 120,
        check=False,
    )
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    last = said[-1] if said else ""
    return (from_json(done.stdout) if done.stdout.startswith(b"{") else None), last


def _problem(case: Case, patch: str, place: Path, took_s: float) -> str:
    """Why the patched program does not finish without us; "" where it does."""
    try:
        applied(patch, case.directory)
    except subprocess.CalledProcessError as error:
        return f"the patch does not apply: {error.stderr.decode(errors='replace').strip()[:200]}"
    place.mkdir()
    longest_s = min(PLAIN_S, max(30.0, 3 * took_s))
    with _limited(case) as group:
        trial = run_plain(case, place, longest_s=longest_s, group=group)
    if trial.problem and "did not end" in trial.problem:
        return "" if case.expected.memory_limit else "the patched program did not end"
    last = trial.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
    return "" if trial.status == 0 else f"the patched program ends with {trial.status}: {' '.join(last)[:200]}"


@contextlib.contextmanager
def _limited(case: Case) -> Iterator[Path | None]:
    """A memory group of the case's size."""
    if not case.expected.memory_limit:
        yield None
        return
    name = f"prove-{os.getpid()}-{time.time_ns()}"
    limit = limits.wanted_limit(parse_memory_limit(case.expected.memory_limit), name)
    try:
        yield Path(limit.made.path) if limit.made else None
    finally:
        if limit.made:
            limits.remove_group(limit.made)


def _print(done: list[Proved]) -> float:
    """The part that has a proved fix that works."""
    by_cause: dict[str, list[Proved]] = defaultdict(list)
    for one in done:
        by_cause[one.cause or "no cause"].append(one)
    print(f"\n{'cause':42}{'programs':>9}{'proved':>8}{'works':>7}{'first try':>11}{'cause right':>13}{'s each':>8}")
    for cause, own in sorted(by_cause.items()):
        proved = [one for one in own if one.verdict == "proved"]
        works = [one for one in proved if not one.problem]
        each = sum(one.wall_s for one in own) / len(own)
        right = sum(not one.after for one in own)
        at_once = sum(one.tries == 1 for one in proved)
        print(f"{cause:42}{len(own):>9}{len(proved):>8}{len(works):>7}{at_once:>11}{right:>13}{each:>8.0f}")
    works = [one for one in done if one.verdict == "proved" and not one.problem]
    for one in done:
        if one not in works:
            print(f"  {one.program}: {one.cause} {one.verdict} {one.problem}")
    for one in done:
        if one.after:
            print(f"  {one.program}:{_misnamed(one)}")
    told, after = (sum(not wrong for wrong in all_) for all_ in ([o.told for o in done], [o.after for o in done]))
    print(f"\ncause right as told: {told} of {len(done)}; after the proof: {after} of {len(done)}")
    tries = sorted(one.tries for one in done if one.verdict == "proved")
    if tries:
        print(f"trials up to the proof: {tries.count(1)} of {len(tries)} one, {sum(tries) / len(tries):.1f} on average")
    print(f"{len(done)} programs, {len(works)} with a proved fix that works ({len(works) / len(done):.0%})")
    return len(works) / len(done)


def _save(done: list[Proved]) -> Path:
    place = HERE / "results" / f"prove-{time.strftime('%Y%m%d-%H%M%S')}.json"
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(msgspec.json.format(msgspec.json.encode([one._asdict() for one in done]), indent=2))
    return place


if __name__ == "__main__":
    sys.exit(main())
