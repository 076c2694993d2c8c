"""What a library's source says of the conditions around a raise."""

from __future__ import annotations

import ast

from whydied.source.guards import demands, guards, kept_as, quoted, spent_by, unpacked_pairs
from whydied.source.trees import walk

TABLE = """
def get(identifier):
    if identifier is None:
        return None
    if isinstance(identifier, str):
        obj = TABLE.get(identifier, None)
    else:
        obj = identifier
    if callable(obj):
        return obj
    raise ValueError(f"no such thing: {identifier}")
"""
PADDING = """
class Conv:
    def __init__(self, padding, filters=1):
        self.padding = padding.lower()
        if padding.lower() not in ("valid", "same") and self.checks:
            raise ValueError("padding was %s of %s" % (padding, filters))
        elif not isinstance(filters, int):
            raise TypeError("{}".format(filters))
        elif not str(filters).endswith(".h5"):
            raise TypeError
"""


def _line(text: str, words: str, number: int = 0) -> int:
    found = [at for at, line in enumerate(text.splitlines(), 1) if words in line]
    return found[number]


def _wanted(text: str, line: int) -> list[tuple[str, str, str]]:
    return [
        (one.kind, ast.unparse(one.subject), ast.unparse(one.wanted) if one.wanted else "")
        for one in demands(ast.parse(text), line)
    ]


def test_what_was_looked_up_in_a_table_is_wanted_among_its_keys() -> None:
    wanted = _wanted(TABLE, _line(TABLE, "raise"))
    assert ("callable", "obj", "") in wanted
    assert ("member", "identifier", "TABLE") in wanted
    assert [ast.unparse(one) for one in quoted(ast.parse(TABLE), _line(TABLE, "raise"))] == ["identifier"]


def test_conditions_are_taken_apart_only_where_that_is_logic() -> None:
    first = _wanted(PADDING, _line(PADDING, "raise"))
    assert first == [("member", "padding", "('valid', 'same')"), ("false", "self.checks", "")]
    # Of an `and` that did not hold, either part may be the one.
    second = _wanted(PADDING, _line(PADDING, "raise", 1))
    assert second == [("type", "filters", "int")]
    assert _wanted(PADDING, _line(PADDING, "raise", 2)) == [("suffix", "filters", "'.h5'")]
    assert [one.holds for one in guards(ast.parse(PADDING), _line(PADDING, "raise", 1))] == [True, False]
    texts = [ast.unparse(one) for one in quoted(ast.parse(PADDING), _line(PADDING, "raise"))]
    assert texts == ["padding", "filters"]


def test_the_parameter_that_an_attribute_keeps() -> None:
    begin = walk(ast.parse(PADDING), ast.FunctionDef)[0]
    assert kept_as(begin, "padding") == "padding"
    assert kept_as(begin, "filters") is None
    mixed = ast.parse("def __init__(self, a, b):\n    self.c = a + b\n")
    assert kept_as(walk(mixed, ast.FunctionDef)[0], "c") is None


def test_the_setting_that_lets_a_state_be_given_up() -> None:
    tape = """
class Tape:
    def gradient(self):
        if self.state is None:
            raise RuntimeError
        if not self.keep:
            self.state = None
        if self.other:
            self.more = None
"""
    owner = walk(ast.parse(tape), ast.ClassDef)[0]
    assert spent_by(owner, "state") == ["keep"]
    assert spent_by(owner, "more") == []


def test_what_is_taken_apart_in_pairs() -> None:
    assert [ast.unparse(one.subject) for one in unpacked_pairs(ast.parse("a, b = zip(*both)"), 1)] == ["both"]
    assert [ast.unparse(one.subject) for one in unpacked_pairs(ast.parse("for a, b in both:\n    pass"), 1)] == ["both"]
    assert unpacked_pairs(ast.parse("a, b = both"), 1) == []
    assert unpacked_pairs(ast.parse("a, b, c = zip(*all)"), 1) == []
