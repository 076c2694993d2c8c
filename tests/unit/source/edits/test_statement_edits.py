"""Whole statements taken out, moved, and put into blocks."""

from __future__ import annotations

import ast

from tests.unit.source.edits.test_edits import FILE, lines_of, source_of
from whydied.source.edits import statement_edits as edits
from whydied.source.edits.programs.function_edits import created_outside
from whydied.source.text import Source

TEXT = """
def f():
    a = 1
    b = g(
        a,
    )  # why

    for x in b:
        print(x)
    return b
"""


def _at(source: Source, line: int) -> ast.stmt:
    found = edits.statement_at(source, line)
    assert found is not None
    return found


def test_the_innermost_statement_of_a_line() -> None:
    source = source_of(TEXT)
    assert ast.unparse(_at(source, 4)).startswith("b = g(")
    assert ast.unparse(_at(source, 8)) == "print(x)"


def test_a_statement_moves_with_its_lines_and_its_comment() -> None:
    source = source_of(TEXT)
    up = lines_of(source, *edits.move_above(source, FILE, _at(source, 3), 2))
    assert up[:5] == ["def f():", "    b = g(", "        a,", "    )  # why", "    a = 1"]
    gone = lines_of(source, edits.without_statement(source, FILE, _at(source, 4)))
    assert gone[1:4] == ["    a = 1", "", "    for x in b:"]


def test_a_block_goes_around_statements() -> None:
    source = source_of(TEXT)
    lines = lines_of(source, *edits.around_statements(source, FILE, _at(source, 3), _at(source, 7), "with x:"))
    assert lines[2:9] == [
        "    with x:",
        "        b = g(",
        "            a,",
        "        )  # why",
        "",
        "        for x in b:",
        "            print(x)",
    ]


def test_what_shares_its_line_or_holds_a_long_text_stays() -> None:
    source = source_of("a = 1; b = 2\nc = '''x\n  y'''\nd = 3\n")
    assert edits.move_above(source, FILE, source.tree.body[1], 4) == []
    assert edits.move_above(source, FILE, source.tree.body[2], 1) == []
    assert edits.below(source_of("if x:\n    y\n"), FILE, 1, "z") is None


def test_an_assignment_moves_out_of_its_function() -> None:
    source = source_of("@tf.function\ndef step(x):\n    w = tf.Variable(2.0)\n    return w * x\n")
    assert lines_of(source, *created_outside(source, FILE, 3)) == [
        "w = tf.Variable(2.0)",
        "",
        "",
        "@tf.function",
        "def step(x):",
        "    return w * x",
    ]
    for own in ("w = tf.Variable(x)", "w = tf.Variable(1.0)\n    w = w + 1", "a, w = tf.Variable(1.0), 2"):
        bound = source_of(f"def step(x):\n    {own}\n    return w * x\n")
        assert created_outside(bound, FILE, 2) == []
