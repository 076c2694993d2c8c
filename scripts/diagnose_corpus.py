"""Diagnoses the stored recordings of the corpus: what a change of a rule does to all programs, in seconds.

    python scripts/diagnose_corpus.py                   what is wrong, and what differs from outcomes.txt
    python scripts/diagnose_corpus.py --write           the same, and outcomes.txt as it is now, to be read as a diff
    python scripts/diagnose_corpus.py --only 'memory/*'

Starts no program and needs no TensorFlow. Exit status 0 when all is right and as before, 1 when not.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benchmarks"))

import outcomes
import recordings
from corpus import load, matching


def main() -> int:
    options = _parser().parse_args()
    before = outcomes.table_lines()
    began_s = time.monotonic()
    cases = matching(load(recordings.PROGRAMS), options.only)
    found = list(outcomes.outcomes(cases, options.jobs))
    took_s = time.monotonic() - began_s
    now = {one.verdict.case.name: one.line for one in found}
    for one in found:
        for problem in one.verdict.problems:
            print(f"WRONG {one.verdict.case.name}: {problem}")
    changed = [name for name, line in now.items() if before.get(name) != line]
    for name in changed:
        print(f"- {before.get(name, name)}\n+ {now[name]}")
    wrong = sum(not one.verdict.right for one in found)
    print(f"{len(found)} recordings in {took_s:.1f} s: {wrong} wrong, {len(changed)} changed; {len(cases)} programs")
    if options.write:
        kept = {name: line for name, line in before.items() if recordings.path_of(name).exists()}
        outcomes.write_table(kept | now)
    return 1 if wrong or (changed and not options.write) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Diagnose the stored recordings of the corpus.")
    parser.add_argument("--only", action="append", metavar="PATTERN", help="only names that match, like 'memory/*'")
    parser.add_argument("--write", action="store_true", help="store the outcomes as they are now")
    parser.add_argument("--jobs", type=int, help="recordings at a time (default: one per core)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
