"""Runs the tests of `pytest --whydied` in one process below pytest, shows what it sends as if it had happened here, and
goes on with the others when a test has killed it; runs in the process that was started.

Invariant: what pytest and its plugins see is what they see of a worker of pytest-xdist: reports, in their order. Every
crash costs at least one test, so that it ends; nothing is run twice.
"""

from __future__ import annotations

import builtins
import json
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from whydied.pytest_plugin import PLACE
from whydied.pytest_plugin.messages import DONE, MESSAGES, decoded
from whydied.pytest_plugin.tested_process import run_file
from whydied.pytest_plugin.told_failures import ToldFailures

MOST_CRASHES = 20
_PAUSE_S = 0.02
_ENTRY = (
    "import json, sys; arguments, path = map(json.loads, sys.argv[1:3]); sys.path.extend(path); "
    "from whydied.pytest_plugin.worker_entry import main; sys.exit(main(arguments, path))"
)
_ORDERLY = (
    pytest.ExitCode.OK,
    pytest.ExitCode.TESTS_FAILED,
    pytest.ExitCode.INTERRUPTED,
    pytest.ExitCode.NO_TESTS_COLLECTED,
)


class SingleWorker(ToldFailures):
    def __init__(self, config: pytest.Config, place: str) -> None:
        super().__init__(config, place)
        self._done: list[str] = []
        self._running: tuple[str, Any] | None = None
        self._collected = False
        self._deselected: list[str] = []
        self._ended: int | None = None
        self._crashes = 0

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> bool:
        """The other process collects: what tests import is not imported here."""
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        while self._ended is None:
            self._run_worker(session)
            if self._ended is None and self._crashes >= MOST_CRASHES:
                raise session.Interrupted(f"{self._crashes} tests have killed their process")
        if session.testsfailed and not self._done:
            raise session.Interrupted("errors during collection")
        if self._ended == pytest.ExitCode.INTERRUPTED:
            raise session.Interrupted("the process of the tests was stopped")
        return True

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._ended is not None and self._ended not in _ORDERLY:
            # It has said itself what was wrong with its arguments, or with pytest.
            session.exitstatus = self._ended
        elif self._crashes and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _run_worker(self, session: pytest.Session) -> None:
        """Until its end, or its death."""
        Path(self.place, DONE).write_text(json.dumps(self._done))
        messages = Path(self.place, MESSAGES)
        messages.write_text("")
        process = self._started()
        try:
            with messages.open("rb") as file:
                rest = b""
                over = False
                while True:
                    data = file.read()
                    *lines, rest = (rest + data).split(b"\n")
                    for line in lines:
                        self._take(decoded(line), session)
                        self._heed(session)
                    if over and not data:
                        break
                    # Not waited for yet: the watcher asks the system how it ended.
                    over = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None
                    if not data:
                        time.sleep(_PAUSE_S)
            if self._died(process):
                self._crashed(session)
        finally:
            if process.poll() is None:
                process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _started(self) -> subprocess.Popen[bytes]:
        from whydied.run import command

        given = [os.fspath(one) for one in self.config.invocation_params.args]
        argv = [sys.executable, "-c", _ENTRY, json.dumps(given), json.dumps(sys.path)]
        # A recording that goes on around pytest is of pytest; that of the tests is their own.
        env = {**command.plain_environment(), PLACE: self.place}
        return subprocess.Popen(argv, env=env, cwd=self.config.invocation_params.dir)

    def _died(self, process: subprocess.Popen[bytes]) -> bool:
        found = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        return self._ended is None or (found is not None and found.si_code != os.CLD_EXITED)

    def _heed(self, session: pytest.Session) -> None:
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        if session.shouldstop:
            raise session.Interrupted(session.shouldstop)

    def _take(self, message: dict[str, Any], session: pytest.Session) -> None:
        kind, hook = message["kind"], self.config.hook
        if kind == "start":
            self._running = (message["nodeid"], message["location"])
            hook.pytest_runtest_logstart(nodeid=message["nodeid"], location=message["location"])
        elif kind == "report":
            hook.pytest_runtest_logreport(report=self._report(message))
        elif kind == "finish":
            self._running = None
            self._done.append(message["nodeid"])
            hook.pytest_runtest_logfinish(nodeid=message["nodeid"], location=message["location"])
        elif kind == "collection":
            hook.pytest_collectreport(report=self._report(message))
        elif kind == "deselected":
            self._deselected += [] if self._collected else message["nodeids"]
        elif kind == "collected":
            self._has_collected(message["count"], session)
        elif kind == "warning":
            self._warn(message)
        elif kind == "internal error":
            self._line(message["text"])
        elif kind == "end":
            self._ended = message["status"]

    def _report(self, message: dict[str, Any]) -> Any:
        return self.config.hook.pytest_report_from_serializable(config=self.config, data=message["data"])

    def _has_collected(self, count: int, session: pytest.Session) -> None:
        if self._collected:
            return
        self._collected = True
        session.testscollected = count
        left = ""
        reporter: Any = self.config.pluginmanager.getplugin("terminalreporter")
        if self._deselected and reporter is not None:
            left = f" / {len(self._deselected)} deselected"
            # It only counts them; the items themselves are not here.
            reporter.pytest_deselected(items=[SimpleNamespace(nodeid=nodeid) for nodeid in self._deselected])
        self._line(f"collected {count} item{'s' if count != 1 else ''}{left}, recorded by whydied")

    def _warn(self, message: dict[str, Any]) -> None:
        category = getattr(builtins, message["category"], UserWarning)
        recorded = warnings.WarningMessage(message["message"], category, message["file"], message["line"])
        self.config.hook.pytest_warning_recorded.call_historic(
            kwargs={
                "warning_message": recorded,
                "when": message["when"],
                "nodeid": message["nodeid"],
                "location": message["location"],
            }
        )

    def _crashed(self, session: pytest.Session) -> None:
        """Show the death of the process as the failure of the test that ran; before or after all tests as an error."""
        from whydied.pytest_plugin.failure_reports import of_death

        self._crashes += 1
        told = "the process that ran the tests died"
        found = None
        try:
            found = of_death(Path(self.place, run_file("")).read_text())
        except Exception as error:
            sys.stderr.write(f"whydied could not explain why {told}: {error!r}\n")
        text = found.text if found is not None else f"{told}, and whydied does not know why"
        if self._running is None:
            self._crashed_outside(text, session)
            return
        nodeid, location = self._running
        self._running = None
        self._done.append(nodeid)
        report: Any = pytest.TestReport(nodeid, location, {}, "failed", text, "call")
        if found is not None:
            self.tell(report, found)
            report.sections.clear()
        hook = self.config.hook
        hook.pytest_runtest_logreport(report=report)
        end = pytest.TestReport(nodeid, location, {}, "passed", None, "teardown")
        hook.pytest_runtest_logreport(report=end)
        hook.pytest_runtest_logfinish(nodeid=nodeid, location=location)
        self._heed(session)

    def _crashed_outside(self, text: str, session: pytest.Session) -> None:
        if self._ended is not None:
            self._line(f"\nthe process that ran the tests died after the last of them\n{text}")
            return
        report = pytest.CollectReport("", "failed", text, [])
        self.config.hook.pytest_collectreport(report=report)
        self._ended = int(pytest.ExitCode.INTERRUPTED) if self._done else int(pytest.ExitCode.TESTS_FAILED)

    def _line(self, text: str) -> None:
        reporter: Any = self.config.pluginmanager.getplugin("terminalreporter")
        for line in text.split("\n"):
            if reporter is not None:
                reporter.write_line(line)
