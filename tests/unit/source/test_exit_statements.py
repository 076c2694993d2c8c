from __future__ import annotations

import re

import pytest

from tests.unit.source.at import FILE, at
from whydied.source.statements import is_under_test, only_exit_raised, raises_over

PROGRAM = """\
if not finite(loss):
    raise SystemExit(3)
assert rows == 4, "nan"
if done:
    print(loss)
"""
NAN = re.compile("nan|loss")


def test_the_only_exit_of_a_program() -> None:
    sources, _ = at(PROGRAM, 1)
    found = only_exit_raised(sources)
    assert found is not None
    assert (found.line, found.source) == (2, "raise SystemExit(3)")
    assert only_exit_raised(at(f"{PROGRAM}raise SystemExit\n", 1)[0]) is None


@pytest.mark.parametrize(("line", "raises", "tested"), [(2, True, True), (3, True, False), (5, False, False)])
def test_what_an_end_is_about(line: int, raises: bool, tested: bool) -> None:
    sources, _ = at(PROGRAM, 1)
    assert raises_over(sources, FILE, line, NAN) is raises
    assert is_under_test(sources, FILE, line, NAN) is tested
