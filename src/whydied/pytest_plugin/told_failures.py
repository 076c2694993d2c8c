"""Puts explanations where pytest shows results: below the failure, in the summary, and in the JUnit file; runs in the
process that shows them.

Invariant: the outcome of a test is never changed. At most `MOST_EXPLAINED` failures are explained: each takes a moment
of the process that takes the results of all workers.
"""

from __future__ import annotations

import contextlib
import shutil
import sys
from collections.abc import Generator
from typing import Any

import pytest

from whydied.pytest_plugin.failure_reports import Explanation

MOST_EXPLAINED = 20
_PROPERTY = "whydied"


class ToldFailures:
    """Base of what watches tests. `place` is the directory that is shared with the processes that run them."""

    def __init__(self, config: pytest.Config, place: str) -> None:
        self.config = config
        self.place = place
        self._lines: dict[str, str] = {}
        self._told: list[tuple[str, Explanation]] = []

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self, report: Any) -> Generator[None, Any, None]:
        noted = getattr(report, "whydied", None)
        if report.failed and noted and len(self._told) < MOST_EXPLAINED:
            self._explain(report, noted)
        if report.when == "teardown" and report.nodeid in self._lines:
            report.user_properties.append((_PROPERTY, self._lines.pop(report.nodeid)))
        yield

    def tell(self, report: Any, found: Explanation) -> None:
        """Add an explanation to a failure that is about to be shown."""
        self._told.append((report.nodeid, found))
        self._lines[report.nodeid] = f"{found.line} [whydied show {found.run}]" if found.run else found.line
        report.sections.append(("whydied", found.text))

    def _explain(self, report: Any, noted: list[Any]) -> None:
        from whydied.pytest_plugin.failure_reports import of_failure

        try:
            found = of_failure(*noted)
        except Exception as error:
            sys.stderr.write(f"whydied could not explain {report.nodeid}: {error!r}\n")
            return
        if found is not None:
            self.tell(report, found)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if not self._told:
            return
        terminalreporter.section("whydied")
        for nodeid, found in self._told:
            terminalreporter.line(f"{nodeid}: {found.line}")
            if found.run:
                terminalreporter.line(f"    whydied show {found.run}")

    def pytest_unconfigure(self) -> None:
        shutil.rmtree(self.place, ignore_errors=True)
        with contextlib.suppress(Exception):
            _prune()


def _prune() -> None:
    """Keep the directory of recordings from growing without end."""
    from whydied import config, places
    from whydied.report.keeping.retention import prune

    settings = config.of_working_directory()
    prune(places.list_runs(places.default_runs()), keep_days=settings.keep_days, keep_bytes=settings.keep_bytes)
