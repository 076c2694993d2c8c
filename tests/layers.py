"""Which tests belong to the first layer (`scripts/test`) and which only to the second (`scripts/corpus`), and which of
them share a worker.

A start of TensorFlow takes seconds, and the first layer has minutes. It has what shows that a mechanism works; a test
that is marked `variation` shows the same mechanism in another case, and runs in the second layer.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

ONE_BY_ONE = ("test_fidelity.py", "test_programs.py", "test_stress.py")
"""Files whose tests share nothing, so that each goes to whichever worker is free."""


def varied(cases: Iterable[Any], *shown: Any) -> list[Any]:
    """Parameters of a test, of which those `shown` are in the first layer; the others are variations."""
    listed = list(cases)
    assert all(case in listed for case in shown), shown
    return [
        case
        if case in shown
        else pytest.param(*(case if type(case) is tuple else (case,)), marks=pytest.mark.variation)
        for case in listed
    ]


class _Scheduling(LoadScopeScheduling):  # type: ignore[misc]
    """The tests of a file share its fixtures, which start TensorFlow, so they go to one worker."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return nodeid if PurePath(file).name in ONE_BY_ONE else file


@pytest.hookimpl(optionalhook=True)
def scheduler(config: pytest.Config, log: Any) -> Any:
    return _Scheduling(config, log)
