"""Live programs that were not told right at a try: kept for the summary, whichever worker saw them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

PROPERTY = "miss"


class Misses:
    def __init__(self, record: Callable[[str, object], None]) -> None:
        self._record = record

    def add(self, name: str, problems: str, kept: str) -> None:
        # A property of the report travels from a worker to the controller.
        self._record(PROPERTY, f"{name}: {problems} [{kept}]")


def told(reporter: pytest.TerminalReporter) -> list[str]:
    reports = [report for kind in ("passed", "failed") for report in reporter.stats.get(kind, [])]
    return [str(value) for report in reports for key, value in report.user_properties if key == PROPERTY]
