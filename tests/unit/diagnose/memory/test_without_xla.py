"""`jit_compile=False` is proposed where one line asks for XLA and the ops can fit without it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from whydied.diagnose.case import Case
from whydied.diagnose.memory.compiled_steps import without_xla
from whydied.source.edits.edit import edited
from whydied.source.text import Source

FILE = "/home/ann/train.py"
ONE = "model.compile('adam', jit_compile=True)\n"


def case_of(text: str, limit: int | None) -> Case:
    found: Any = SimpleNamespace(limit_bytes=limit) if limit is not None else None
    return cast(Case, SimpleNamespace(sources={FILE: Source(text)}, recording=SimpleNamespace(limit=found)))


def test_the_line_that_asks_for_xla_is_changed() -> None:
    changes = without_xla(case_of(ONE, 100), 90)
    assert [change.harm for change in changes] == ["same result"]
    assert edited(Source(ONE), changes[0].edits) == "model.compile('adam', jit_compile=False)\n"


@pytest.mark.parametrize(("text", "limit", "needed"), [(ONE, 100, 101), (ONE, None, 1), (ONE + ONE, 100, 1)])
def test_what_would_not_fit_or_is_not_one_line_stays(text: str, limit: int | None, needed: int) -> None:
    assert without_xla(case_of(text, limit), needed) == []
