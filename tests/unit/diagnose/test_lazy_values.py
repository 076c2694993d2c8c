"""PRC063: what computes nothing yet stands for a list, and is told where it is made."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.values.lazy_values import check
from whydied.source.edits.edit import edited
from whydied.source.text import Source

LENGTH = "object of type '{}' has no len()"
NAMED = "Found non-iterable: <generator object Coder.{}.<locals>.<genexpr> at 0x7f00>"


def _check(source: str, message: str, kind: str = "TypeError") -> tuple[Finding | None, str]:
    number = next(at for at, line in enumerate(source.splitlines(), 1) if "# here" in line)
    case = case_of(exit_code=1, process=[raised(kind, message, number=number)])
    text = Source(source)
    case.recording.sources[FILE] = case.recording.project[FILE] = text
    found = check(case)
    changes = found.changes if found is not None and isinstance(found.changes, list) else []
    return found, (edited(text, changes[0].edits) or "") if changes else ""


APPENDED = """class Coder:
    def code(self, rows):
        coded = []
        for row in rows:
            coded.append(self.table[one] for one in row)
        return coded

def both(coder, left, right):
    found = []
    for rows in (coder.code(left), coder.code(right)):
        found.append(pad_sequences(rows))  # here
    return found
"""


def test_a_generator_that_was_appended_in_a_method() -> None:
    found, text = _check(APPENDED, NAMED.format("code"), "ValueError")
    assert found is not None
    assert found.location is not None
    assert (found.certainty, found.location.line) == ("certain", 5)
    assert "coded.append([self.table[one] for one in row])" in text
    found, again = _check(APPENDED, LENGTH.format("generator"))
    assert found is not None
    assert (found.certainty, again) == ("likely", text)


MADE = {
    "an entry of a dict": "parts = {'rows': map(int, texts)}\nlen(parts['rows'])  # here\n",
    "an attribute": "class Of:\n    def __init__(self, rows):\n        self.rows = map(int, rows)\n\n"
    "len(Of(x).rows)  # here\n",
    "an argument": "def sized(rows):\n    return len(rows)  # here\nsized(map(int, texts))\n",
    "a result": "def made(texts):\n    return map(int, texts)\nrows = made(texts)\nlen(rows)  # here\n",
    "a loop": "for rows in [map(int, one) for one in texts]:\n    len(rows)  # here\n",
}


@pytest.mark.parametrize("source", MADE.values(), ids=MADE.keys())
def test_the_ways_of_a_value(source: str) -> None:
    found, text = _check(source, LENGTH.format("map"))
    assert found is not None
    assert text == source.replace("map(int, one)", "list(map(int, one))").replace(
        "map(int, rows)", "list(map(int, rows))"
    ).replace("map(int, texts)", "list(map(int, texts))")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("rows = map(int, texts)\nrows.filter(1)  # here\n", "'Table' object has no attribute 'filter'"),
        ("rows = map(int, texts)\nrows.next()  # here\n", "'map' object has no attribute 'next'"),
        ("rows = list(map(int, texts))\nlen(given)  # here\n", LENGTH.format("map")),
        ("one, two = map(int, a), map(int, b)\nlen(one + two)  # here\n", LENGTH.format("map")),
        ("def made():\n    while True:\n        yield 1\nlen(made())  # here\n", LENGTH.format("generator")),
        ("total = sum(one for one in rows)\nlen(rows, total)  # here\n", LENGTH.format("generator")),
    ],
)
def test_what_is_not_told(source: str, message: str) -> None:
    kind = "AttributeError" if "attribute" in message else "TypeError"
    assert _check(source, message, kind)[0] is None


def test_an_array_where_that_is_asked_of_it() -> None:
    message = "'dict_values' object has no attribute 'shape'"
    text = _check("import numpy as np\nrows = parts.values()\nrows.shape  # here\n", message, "AttributeError")[1]
    assert "rows = np.array(list(parts.values()))" in text


def test_a_set_is_put_in_order() -> None:
    text = _check("kinds = {row[0] for row in rows}\nkinds[0]  # here\n", "'set' object is not subscriptable")[1]
    assert "kinds = sorted({row[0] for row in rows})\n" in text
