"""Generators that leave out what is not like their other elements."""

from __future__ import annotations

from tests.unit.source.edits.written import FILE, after, source_of
from whydied.source.edits.runs import yielded_elements as edits

ROWS = "import numpy as np\ndef rows():\n    for x, y in table:\n        yield {value}\n"


def test_elements_with_none_or_a_text_are_left_out() -> None:
    source = source_of(ROWS.format(value="(x, self.y, x + 1)"))
    expected = ["if x is not None and self.y is not None:", "yield (x, self.y, x + 1)"]
    assert after(source, edits.only_given(source, FILE, 4)) == expected
    named = source_of(ROWS.format(value='{"a": x}, 1'))
    assert after(named, edits.only_numbers(named, FILE, 4)) == ["if not isinstance(x, str):", 'yield {"a": x}, 1']


def test_nothing_is_written_without_a_name_to_test_or_a_statement() -> None:
    computed = source_of(ROWS.format(value="x + 1, f(y)"))
    assert edits.only_given(computed, FILE, 4) == []
    sent = source_of("def rows():\n    got = yield x\n")
    assert edits.only_given(sent, FILE, 2) == []


def test_elements_of_other_parts_are_left_out() -> None:
    source = source_of(ROWS.format(value="(x, y) if y else x"))
    assert after(source, edits.only_of_parts(source, FILE, 4, 2)) == [
        "element = (x, y) if y else x",
        "if isinstance(element, tuple) and len(element) == 2:",
        "yield element",
    ]
    # A tuple that is written out always has as many: nothing would be left.
    always = source_of(ROWS.format(value="x, y"))
    assert edits.only_of_parts(always, FILE, 4, 3) == []
    assert edits.only_of_parts(source, FILE, 4, 0) == []


def test_elements_of_another_shape_are_left_out() -> None:
    source = source_of(
        "import numpy as np\ndef rows():\n    words = np.zeros((8, 20))\n    picture = load()\n"
        "    yield words, picture\n"
    )
    assert after(source, edits.only_of_shape(source, FILE, 5, [None, 32, 3])) == [
        "if np.shape(picture)[1:] == (32, 3):",
        "yield words, picture",
    ]
    assert after(source, edits.only_of_shape(source, FILE, 5, [64, 20]))[0] == "if np.shape(words) == (64, 20):"
    both = source_of(ROWS.format(value="x, y"))
    assert edits.only_of_shape(both, FILE, 4, [64, 6]) == []
    assert edits.only_of_shape(source, FILE, 5, [32, None, 3]) == []
