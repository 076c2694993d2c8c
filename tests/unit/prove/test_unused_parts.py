"""What a program has and does not use, as guesses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.diagnose.died_of import died_of
from tests.unit.diagnose.patches_of import lines_of
from whydied.diagnose.engine import diagnose
from whydied.prove.guesses import guesses
from whydied.prove.guesses.enumeration import of_unused

HELPER = """
    def widened(pair, extra=0):
        {}

    def parts(pair):
        first, second, third = pair
        return first

    def main():
        pair = [1, 2]
        print({})
        parts(pair)

    main()
"""


def _helped(tmp_path: Path, body: str, shown: str = "pair") -> list[list[str]]:
    case = died_of(tmp_path, HELPER.format(body, shown))
    found = guesses(case, diagnose(case.recording, case=case))
    return [lines_of(case, one.change) for one in found if one.change.kind == "guess-helper"]


def test_a_function_that_nobody_calls_is_called_behind_what_it_takes(tmp_path: Path) -> None:
    assert _helped(tmp_path, "return [*pair, extra]") == [["+    pair = widened(pair)"]]


def test_a_function_that_gives_nothing_is_a_statement(tmp_path: Path) -> None:
    assert _helped(tmp_path, "pair.append(extra)") == [["+    widened(pair)"]]


def test_a_function_that_is_called_is_none_that_was_forgotten(tmp_path: Path) -> None:
    assert _helped(tmp_path, "return [*pair, extra]", "widened(pair)") == []


def test_a_function_of_something_else_is_not_called(tmp_path: Path) -> None:
    case = died_of(
        tmp_path,
        """
        def shown(picture):
            return picture
        first, second, third = 1, 2, 3
        pair = [first, second]
        one, two, three = pair
        """,
    )
    found = guesses(case, diagnose(case.recording, case=case))
    assert [one for one in found if one.change.kind == "guess-helper"] == []


@pytest.mark.parametrize(
    ("made", "used", "wanted"),
    [
        (
            "rows_padded = [row + [0] for row in rows]",
            "",
            [["-    a, b, c = rows[0]", "+    a, b, c = rows_padded[0]"]],
        ),
        ("rows_padded = [row + [0] for row in rows]", "print(rows_padded)", []),
        ("count = len(rows)", "", []),
    ],
)
def test_what_was_prepared_is_used(tmp_path: Path, made: str, used: str, wanted: list[list[str]]) -> None:
    case = died_of(
        tmp_path,
        f"""
        def main():
            rows = [[1, 2]]
            {made}
            {used}
            a, b, c = rows[0]
        main()
        """,
    )
    found = of_unused(case, diagnose(case.recording, case=case))
    assert [lines_of(case, one.change) for one in found] == wanted
