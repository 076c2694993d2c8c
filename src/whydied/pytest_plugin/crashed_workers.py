"""Says why a worker of pytest-xdist crashed; runs in the process that started the workers."""

from __future__ import annotations

import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from whydied.pytest_plugin.tested_process import run_file
from whydied.pytest_plugin.told_failures import ToldFailures


class CrashedWorkers(ToldFailures):
    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, report: Any) -> None:
        """xdist has made a report of its own, and shows it next."""
        from whydied.pytest_plugin.failure_reports import of_death

        try:
            run = Path(self.place, run_file(report.node.gateway.id)).read_text()
            found = of_death(run)
        except Exception as error:
            sys.stderr.write(f"whydied could not explain {report.nodeid}: {error!r}\n")
            return
        if found is not None:
            report.longrepr = f"{found.text}\n\n{report.longrepr}"
            self.tell(report, found)
            # The text is in the failure itself, which the JUnit file has too.
            report.sections.clear()
            report.whydied_crash = True

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_logreport(self, report: Any) -> Generator[None, Any, None]:
        yield from super().pytest_runtest_logreport(report)
        if getattr(report, "whydied_crash", False):
            # Properties are written with the end of a test, which a crash leaves out.
            end = pytest.TestReport(report.nodeid, report.location, {}, "passed", None, "teardown")
            end.node = report.node  # type: ignore[attr-defined]
            self.config.hook.pytest_runtest_logreport(report=end)
