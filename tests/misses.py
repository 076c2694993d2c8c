"""Live tests that failed at a try: judged again, and kept for the summary, whichever worker saw them.

A real kill, kernel or browser is an experiment, not a computation. A test that starts such things and fails is tried
twice more, with all its fixtures made anew, and must then pass both times; the miss stands in the summary. What fails
because of a defect fails again.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol

PROPERTY = "miss"
LIVE = ("integration", "browser")
MORE_TRIES = 2


def told(reporter: pytest.TerminalReporter) -> list[str]:
    reports = [report for kind in ("passed", "failed", "error") for report in reporter.stats.get(kind, [])]
    found = [
        str(value) for report in reports for key, value in getattr(report, "user_properties", ()) if key == PROPERTY
    ]
    return list(dict.fromkeys(found))


@pytest.hookimpl(tryfirst=True)
def judge_again(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """The protocol of a live test: one try, and two more where that failed."""
    if not _is_live(item):
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports = runtestprotocol(item, nextitem=nextitem, log=False)
    if problem := _failure(reports):
        # A property of the report travels from a worker to the controller.
        item.user_properties.append((PROPERTY, f"{item.nodeid}: {problem}"))
        for _ in range(MORE_TRIES):
            # Fixtures of the module too: what failed may be what one of them ran.
            item.session._setupstate.teardown_exact(None)
            item._initrequest()  # type: ignore[attr-defined]
            reports = runtestprotocol(item, nextitem=nextitem, log=False)
            if _failure(reports):
                break
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def _is_live(item: pytest.Item) -> bool:
    return any(part in LIVE for part in Path(item.nodeid.partition("::")[0]).parts)


def _failure(reports: list[pytest.TestReport]) -> str:
    """What failed, in one line, or an empty string."""
    for report in reports:
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            return " ".join((crash.message if crash else report.longreprtext).split())[:500] or "failed"
    return ""
