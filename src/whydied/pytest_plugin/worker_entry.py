"""The process that runs the tests for `pytest --whydied` without xdist: a whole pytest of the same arguments, which
writes what it would show to a file. Runs in that process.

Invariant: a line of the file is in the page cache before the next thing happens, so that a kill loses none; the
terminal is left to the process that reads the file.
"""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from whydied.pytest_plugin import PLACE
from whydied.pytest_plugin.messages import DONE, MESSAGES, encoded

_LOADED_BEFORE = "ignore:Module already imported so cannot be rewritten; whydied"
"""What pytest says of a plugin's package that was there before it: here the recorder is."""


def main(arguments: list[str], path: list[str]) -> int:
    """As `pytest` would run, with the modules that the other process finds."""
    sys.path[:] = path
    sys.argv = ["pytest", *arguments]
    place = Path(os.environ[PLACE])
    # The last filter is asked first.
    at = arguments.index("--") if "--" in arguments else len(arguments)
    given = [*arguments[:at], "-W", _LOADED_BEFORE, *arguments[at:]]
    return int(pytest.main(given, plugins=[Sending(place)]))


class _Nowhere(io.StringIO):
    def write(self, text: str, /) -> int:
        return len(text)


class Sending:
    """Sends what happens, and leaves out the tests that another process before this one has run."""

    def __init__(self, place: Path) -> None:
        self._file = (place / MESSAGES).open("a", encoding="utf-8")
        done = place / DONE
        self._done = set(json.loads(done.read_text())) if done.exists() else set()
        self._config: Any = None

    def _send(self, kind: str, **fields: Any) -> None:
        self._file.write(f"{encoded(kind, **fields)}\n")
        self._file.flush()

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        from _pytest.config import create_terminal_writer

        self._config = config
        reporter: Any = config.pluginmanager.getplugin("terminalreporter")
        if reporter is not None:
            reporter._tw = create_terminal_writer(config, _Nowhere())
        # The other process writes the file; a fixture that adds to it finds it as it is without one.
        key: Any = getattr(config.pluginmanager.getplugin("junitxml"), "xml_key", None)
        if key is not None and config.stash.get(key, None) is not None:
            config.pluginmanager.unregister(config.stash[key])
            del config.stash[key]

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.nodeid not in self._done]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._send("collected", count=len(session.items))

    def pytest_deselected(self, items: Any) -> None:
        self._send("deselected", nodeids=[item.nodeid for item in items])

    def pytest_collectreport(self, report: Any) -> None:
        if not report.passed:
            self._send("collection", data=self._serialized(report))

    def pytest_runtest_logstart(self, nodeid: str, location: Any) -> None:
        self._send("start", nodeid=nodeid, location=location)

    def pytest_runtest_logreport(self, report: Any) -> None:
        self._send("report", data=self._serialized(report))

    def pytest_runtest_logfinish(self, nodeid: str, location: Any) -> None:
        self._send("finish", nodeid=nodeid, location=location)

    def pytest_warning_recorded(self, warning_message: Any, when: str, nodeid: str, location: Any) -> None:
        self._send(
            "warning",
            message=str(warning_message.message),
            category=warning_message.category.__name__,
            file=warning_message.filename,
            line=warning_message.lineno,
            when=when,
            nodeid=nodeid,
            location=location,
        )

    def pytest_internalerror(self, excrepr: object) -> None:
        self._send("internal error", text=str(excrepr))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        self._send("end", status=int(exitstatus))

    def _serialized(self, report: Any) -> Any:
        return self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
