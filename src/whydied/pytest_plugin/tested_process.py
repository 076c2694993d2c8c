"""Records the process that runs the tests, and notes what each failed with; runs in that process.

Invariant: reports of tests are passed on as they are, with one attribute more (`whydied`: the run, the process, and the
time of the test), which pytest carries to the process that shows them.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

WORKER = "PYTEST_XDIST_WORKER"


def run_file(worker: str) -> str:
    return f"run-{worker or 'alone'}"


class TestedProcess:
    __test__ = False

    def __init__(self, place: str) -> None:
        self._place = place
        self._run = ""
        self._began_ns = 0

    def begin(self, config: pytest.Config) -> None:
        """Record from here on, with a watcher that outlives this process, and tell the other process where."""
        from whydied.run.start import watched

        # As one would run the tests again; a worker of xdist is not told the arguments.
        argv = ["-m", "pytest", *(os.fspath(one) for one in config.invocation_params.args if one != "--whydied")]
        run = watched(lambda: argv, name="pytest", quiet=True)
        if run is not None:
            self._run = str(run)
            Path(self._place, run_file(os.environ.get(WORKER, ""))).write_text(self._run)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        self._began_ns = time.monotonic_ns()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: Any) -> Generator[None, Any, None]:
        outcome = yield
        try:
            report = outcome.get_result()
            if self._run and report.failed and call.excinfo is not None:
                self._note(report, call.excinfo.value)
        except Exception as error:
            sys.stderr.write(f"whydied could not note the failure of {item.nodeid}: {error!r}\n")

    def _note(self, report: Any, error: BaseException) -> None:
        from whydied.inside.endings import exception_hooks

        exception_hooks.failed_test(error)
        report.whydied = [self._run, os.getpid(), self._began_ns, time.monotonic_ns()]
