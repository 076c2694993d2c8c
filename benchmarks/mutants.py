"""How often the report is right about a program with one mistake put into it.

    python benchmarks/mutants.py                      40 programs of tests/others that work, three mistakes each
    python benchmarks/mutants.py --programs 200 --seed 7 --jobs 2
    python benchmarks/mutants.py --only 'shapes/*' --operators unshaped,other-axis

The programs are the fixed twins of tests/others. `mutations.py` puts one slip into each, the kind that people ask
about; what then raises runs under `whydied run`. The truth is known without anybody's judgement: the line that was
changed. And the advice is tried: its patch is applied, and the program runs again. Prints, by operator and by rule,

- *line*: the cause's location is the changed line;
- *works*: the first patch lets the program finish; *fails*: it fails as before with it, or at a line that the patch
  wrote: such advice misleads; *moves*: it fails of something else, elsewhere;
- *certain wrong*: a certain cause at another line, whose patch does not help either.

Programs are unlike those that the rules were written for in everything but their libraries, and another seed gives
others. Saves all of it as JSON below benchmarks/results/. Exit status 0 when at most 3 of 100 mislead, 1 when more do.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from corpus import Case, Expectation, load, matching
from mutations import OPERATORS, Mutant, mutants
from trial import run
from whydied.inside.trials import stage
from whydied.report.summary import Report, from_json
from whydied.source.edits.edit import edited
from whydied.source.text import Source

HERE = Path(__file__).resolve().parent
OTHERS = HERE.parent / "tests" / "others"
TRIED_FOR_EACH = 3
"""Mutations of a program that run for each that is wanted: most of them do not fail."""
LIMIT_S = 40.0
MISLEADING = 0.03
_SPECIAL = ("memory_limit", "timeout", "command", "module", "signal", "small_disk", "argv", "options", "program")


class Judged(NamedTuple):
    """One mutant and what the report said of it. `patch` is "works", "fails", "moves" (another failure, elsewhere) or
    "" where there is none."""

    program: str
    operator: str
    lines: tuple[int, ...]
    was: str
    now: str
    raised: str
    rule: str
    certainty: str
    line: int | None
    message: str
    advice: tuple[str, ...]
    fix: str
    patch: str

    @property
    def is_placed(self) -> bool:
        return self.line in self.lines

    @property
    def misleads(self) -> bool:
        return self.patch == "fails" or self.is_certain_and_wrong

    @property
    def is_certain_and_wrong(self) -> bool:
        return self.certainty == "certain" and not self.is_placed and self.patch not in ("works", "moves")


def main() -> int:
    options = _parser().parse_args()
    cases = [case for case in matching(load(OTHERS), options.only) if _is_plain(case)]
    chance = random.Random(options.seed)
    chance.shuffle(cases)
    operators = set(options.operators.split(",")) if options.operators else set(OPERATORS)
    judged: list[Judged] = []
    seeds = [chance.random() for _ in cases]
    with ThreadPoolExecutor(options.jobs) as pool:
        asked = zip(cases[: options.programs], seeds, strict=False)
        tasks = [pool.submit(_judge, case, random.Random(seed), options.each, operators) for case, seed in asked]
        for number, task in enumerate(tasks, 1):
            found = task.result()
            judged += found
            for one in found:
                print(_line(one), file=sys.stderr, flush=True)
            print(f"{number}/{len(tasks)} programs, {len(judged)} mutants", file=sys.stderr, flush=True)
            saved = _save(judged, options.seed)
    if not judged:
        print("mutants: no program with a mistake failed", file=sys.stderr)
        return 2
    _print(judged)
    print(f"saved as {saved}")
    return 0 if sum(one.misleads for one in judged) <= MISLEADING * len(judged) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Put one mistake into programs that work, and judge the reports.")
    parser.add_argument("--programs", type=int, default=40, help="how many programs (default 40)")
    parser.add_argument("--each", type=int, default=3, help="mutants of each (default 3)")
    parser.add_argument("--seed", type=int, default=1, help="another one gives other mistakes (default 1)")
    parser.add_argument("--only", action="append", metavar="PATTERN", help="only programs that match, like 'shapes/*'")
    parser.add_argument("--operators", metavar="NAMES", help=f"of {', '.join(OPERATORS)}")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time (default 1)")
    return parser


def _is_plain(case: Case) -> bool:
    """A healthy program of one file that runs without anything special."""
    nothing = Expectation()
    plain = all(getattr(case.expected, word) == getattr(nothing, word) for word in _SPECIAL)
    return case.expected.healthy and plain and case.program.suffix == ".py" and case.lacking() is None


def _judge(case: Case, chance: random.Random, each: int, operators: set[str]) -> list[Judged]:
    with tempfile.TemporaryDirectory(prefix="whydied-mutants-") as scratch:
        place = Path(scratch).resolve() / "project"
        place.mkdir()
        program = place / f"{case.program.stem.removesuffix('_fixed')}.py"
        text = case.program.read_text("utf-8")
        program.write_text(text, "utf-8")
        offered = [one for one in mutants(text, str(program), chance) if one.operator in operators]
        chosen = _spread(offered, each * TRIED_FOR_EACH, chance)
        endings = _endings([one.text for one in chosen], program)
        failing = [(one, end) for one, end in zip(chosen, endings, strict=True) if _is_worth(end)][:each]
        reports = [_report(case, program, one, Path(scratch) / str(number)) for number, (one, _) in enumerate(failing)]
        patched = [_patched(one, report) for (one, _), report in zip(failing, reports, strict=True)]
        after = iter(_endings([one for one in patched if one is not None], program))
        return [
            _judged(case, mutant, end, report, next(after) if other is not None else None, other)
            for (mutant, end), report, other in zip(failing, reports, patched, strict=True)
            if report is not None
        ]


def _is_worth(end: dict[str, Any]) -> bool:
    """A name that is bound nowhere is told by Python itself."""
    return end.get("how") == "raised" and end.get("raised") not in ("NameError", "UnboundLocalError", "SyntaxError")


def _spread(offered: list[Mutant], most: int, chance: random.Random) -> list[Mutant]:
    """Some of each operator."""
    rows: dict[str, list[Mutant]] = {}
    for one in offered:
        rows.setdefault(one.operator, []).append(one)
    chosen: list[Mutant] = []
    while rows and len(chosen) < most:
        for name in chance.sample(sorted(rows), len(rows)):
            chosen.append(rows[name].pop())
            if not rows[name]:
                del rows[name]
    return chosen[:most]


def _endings(texts: list[str], program: Path) -> list[dict[str, Any]]:
    """How each text ends as the program, without whydied: all from one process that has the libraries loaded."""
    if not texts:
        return []
    with tempfile.TemporaryDirectory(prefix="whydied-stage-") as scratch:
        imports = ["numpy", "tensorflow", *(["pandas"] if "pandas" in texts[0] else [])]
        imports += ["tf_keras"] if "tf_keras" in texts[0] else ["keras"]
        shown = [{program.name: text} for text in texts]
        task = stage.Task(imports=imports, variants=shown, jobs=1, enough=1 << 30, limit_s=LIMIT_S)
        given, results = Path(scratch) / "task.json", Path(scratch) / "results"
        given.write_text(json.dumps(task._asdict()), "utf-8")
        (Path(scratch) / "work").mkdir()
        subprocess.run(
            [sys.executable, stage.__file__, str(given), str(results), str(program.parent), str(program)],
            cwd=Path(scratch) / "work",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=LIMIT_S * (len(texts) + 1),
            check=False,
        )
        found = [json.loads(line) for line in results.read_text("utf-8").splitlines()] if results.exists() else []
    ends = {one["number"]: one for one in found}
    return [ends.get(number, {"how": "unknown"}) for number in range(len(texts))]


def _report(case: Case, program: Path, mutant: Mutant, scratch: Path) -> Report | None:
    program.write_text(mutant.text, "utf-8")
    scratch.mkdir()
    moved = case._replace(directory=program.parent, program=program)
    trial = run(moved, scratch)
    return from_json(trial.report) if trial.report is not None and trial.problem is None else None


def _patched(mutant: Mutant, report: Report | None) -> str | None:
    """The program after the first change that the report offers."""
    fix = next((one for one in report.fixes if one.edits), None) if report is not None else None
    return edited(Source(mutant.text), fix.edits) if fix is not None else None


def _judged(
    case: Case,
    mutant: Mutant,
    end: dict[str, Any],
    report: Report,
    after: dict[str, Any] | None,
    patched: str | None,
) -> Judged:
    cause = report.cause
    place = cause.location if cause is not None else None
    fix = next((one for one in report.fixes if one.edits), None)
    return Judged(
        program=case.name,
        operator=mutant.operator,
        lines=mutant.lines,
        was=mutant.was,
        now=mutant.now,
        raised=f"{end.get('raised')}: {str(end.get('said'))[:200]}",
        rule=f"{cause.code} {cause.name}" if cause is not None else "",
        certainty=cause.certainty if cause is not None else "",
        line=place.line if place is not None else None,
        message=cause.message if cause is not None else "",
        advice=tuple(cause.advice) if cause is not None else (),
        fix=fix.title if fix is not None else "",
        patch=_outcome(mutant.text, end, after, patched or ""),
    )


def _outcome(text: str, before: dict[str, Any], after: dict[str, Any] | None, patched: str) -> str:
    if after is None:
        return ""
    if after.get("how") == "finished":
        return "works"
    if after.get("how") != "raised":
        return "moves"
    at = after["frames"][-1][2] if after.get("frames") else 0
    lines = patched.splitlines()
    wrote = 0 < at <= len(lines) and lines[at - 1] not in text.splitlines()
    return "fails" if wrote or (before["raised"], before["said"]) == (after["raised"], after["said"]) else "moves"


def _line(one: Judged) -> str:
    words = "placed" if one.is_placed else f"AT {one.line} for {one.lines[0]}"
    return (
        f"{one.program} [{one.operator}] `{one.was[:60]}` -> `{one.now[:60]}`\n    {one.raised[:160]}\n"
        f"    {one.rule} {one.certainty} {words}; patch {one.patch or '-'}: {one.message[:200]}\n"
        f"    advice: {' | '.join(one.advice)[:300]}"
    )


def _print(judged: list[Judged]) -> None:
    for word in ("operator", "rule"):
        print(f"\n{word:40}{'mutants':>8}{'line':>7}{'works':>7}{'moves':>7}{'fails':>7}{'certain wrong':>15}")
        for name in [*sorted({getattr(one, word) for one in judged}), "all"]:
            of = [one for one in judged if name == "all" or getattr(one, word) == name]
            counts = Counter(one.patch for one in of)
            placed, wrong = sum(one.is_placed for one in of), sum(one.is_certain_and_wrong for one in of)
            ends = f"{counts['works']:>7}{counts['moves']:>7}{counts['fails']:>7}{wrong:>15}"
            print(f"{name:40}{len(of):>8}{placed:>7}{ends}")
    misleading = sum(one.misleads for one in judged)
    print(f"\n{len(judged)} mutants, {misleading} reports mislead ({misleading / len(judged):.0%})")


def _save(judged: list[Judged], seed: int) -> Path:
    place = HERE / "results" / f"mutants-{seed}-{_BEGAN}.json"
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(msgspec.json.format(msgspec.json.encode([one._asdict() for one in judged]), indent=2))
    return place


_BEGAN = time.strftime("%Y%m%d-%H%M%S")


if __name__ == "__main__":
    sys.exit(main())
