"""Which tests belong to the first layer (`scripts/test`) and which only to the second (`scripts/corpus`).

A start of TensorFlow takes seconds, and the first layer has minutes. It has what shows that a mechanism works; a test
that is marked `variation` shows the same mechanism in another case, and runs in the second layer.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def varied(cases: Iterable[Any], *shown: Any) -> list[Any]:
    """Parameters of a test, of which those `shown` are in the first layer; the others are variations."""
    listed = list(cases)
    assert all(case in listed for case in shown), shown
    return [
        case
        if case in shown
        else pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.variation)
        for case in listed
    ]
