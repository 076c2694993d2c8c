from __future__ import annotations

import ast

import pytest

from tests.unit.source.at import at
from whydied.source.trees import written
from whydied.source.waits.locks import entered, locks_at

PROGRAM = """\
def work():
    with a, self.b:
        c.acquire()
        c.release()
        d.acquire()
        run()
"""


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (2, [("waits", "a", 2, True), ("waits", "self.b", 2, True)]),
        (3, [("holds", "a", 2, True), ("holds", "self.b", 2, True), ("waits", "c", 3, True)]),
        (6, [("holds", "a", 2, True), ("holds", "self.b", 2, True), ("holds", "d", 5, False)]),
    ],
)
def test_what_a_line_holds_and_waits_for(line: int, found: list[tuple[str, str, int, bool]]) -> None:
    uses = locks_at(ast.parse(PROGRAM), line, innermost=True)
    assert [(use.how, written(use.lock), use.line, use.sure) for use in uses] == found


def test_a_function_that_called_another_waits_for_nothing_itself() -> None:
    assert list(locks_at(ast.parse(PROGRAM), 2, innermost=False)) == []


def test_what_a_with_statement_enters() -> None:
    assert entered(*at(PROGRAM, 2)) == "a"
    assert entered(*at(PROGRAM, 3)) is None
