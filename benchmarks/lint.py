"""How fast `whydied lint` reads, and what it finds: python benchmarks/lint.py PATH… [--json FILE] [--show]

Prints lines per second over all files (reading, parsing and all rules, in this process, the best of three rounds) and
the findings by code; `--show` prints each of them, to be judged. Exits with 1 below 2,000 lines a second.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path

from whydied.lint.checking import Checked
from whydied.lint.formats.text_lines import error_line, finding_lines
from whydied.lint.project_files import check_files, files_of
from whydied.lint.rules_table import STATIC_RULES

LEAST_LINES_PER_S = 2000
ROUNDS = 3


def measured(paths: list[Path]) -> tuple[Checked, float]:
    """What was found, and the seconds of the fastest round."""
    seconds = []
    for _ in range(ROUNDS):
        files = list(files_of(paths))
        started = time.perf_counter()
        checked = check_files(files, STATIC_RULES)
        seconds.append(time.perf_counter() - started)
    return checked, min(seconds)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--json", type=Path, help="save the figures there")
    parser.add_argument("--show", action="store_true", help="print each finding")
    options = parser.parse_args()
    checked, seconds = measured(options.paths)
    for finding in checked.findings if options.show else ():
        print("\n".join(finding_lines(finding)))
    for error in checked.errors if options.show else ():
        print(error_line(error))
    by_code = Counter(finding.code for finding in checked.findings)
    with_findings = {code: len({one.location.file for one in checked.findings if one.code == code}) for code in by_code}
    pace = checked.lines / seconds
    print(f"{checked.files:,} files, {checked.lines:,} lines in {seconds:.1f} s: {pace:,.0f} lines a second")
    for code, number in sorted(by_code.items()):
        print(f"{code}  {number:,} findings in {with_findings[code]:,} files")
    print(f"{len(checked.errors):,} errors")
    if options.json:
        figures = {
            "files": checked.files,
            "lines": checked.lines,
            "seconds": round(seconds, 3),
            "lines_per_s": round(pace),
            "findings": dict(sorted(by_code.items())),
            "files_with_findings": dict(sorted(with_findings.items())),
            "errors": len(checked.errors),
        }
        options.json.write_text(json.dumps(figures, indent=2) + "\n")
    return 0 if pace >= LEAST_LINES_PER_S else 1


if __name__ == "__main__":
    sys.exit(main())
