"""Single samples as batches of one: all parts of a sample together."""

from __future__ import annotations

import pytest

from whydied.source.edits.edit import edited
from whydied.source.edits.runs.batch_of_one import batch_of_one, giving_lines
from whydied.source.text import Source

_GENERATOR = "import numpy as np\ndef stream():\n    while True:\n        yield {}\n"


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("img, label", "img[None], label[None]"),
        ("img, 1.0", "img[None], np.array([1.0])"),
        ("{'a': img, 'b': img}, label, None", "{'a': img[None], 'b': img[None]}, label[None], None"),
        ("(img, meta['age']), label", "(img[None], np.array([meta['age']])), label[None]"),
        ("img / 255, label", "np.array([img / 255]), label[None]"),
    ],
)
def test_all_parts_get_the_axis(given: str, made: str) -> None:
    source = Source(_GENERATOR.format(given))
    found = batch_of_one(source, "a.py", 4, {"img": [8, 8], "label": [3]})
    assert found is not None
    assert edited(source, found[1]) == _GENERATOR.format(made)


def test_every_yield_of_the_function_and_a_name_that_holds_the_sample() -> None:
    text = "import numpy as np\ndef stream(t):\n    if t:\n        yield x, y\n    pair = (x, y)\n    yield pair\n"
    found = batch_of_one(Source(text), "a.py", 4, {})
    assert found is not None
    made = edited(Source(text), found[1])
    assert made is not None
    assert "yield np.array([x]), np.array([y])" in made
    assert "pair = (np.array([x]), np.array([y]))" in made


def test_what_is_no_pair_is_left_alone() -> None:
    assert batch_of_one(Source("def stream():\n    yield batch\n"), "a.py", 2, {}) is None


def test_the_place_by_the_name() -> None:
    batches = "class Clips(Sequence):\n    def __getitem__(self, i):\n        return a[i], b[i]\n"
    text = f"{batches}def stream():\n    yield 1, 2\n"
    assert giving_lines(Source(text), "Clips") == [3]
    assert giving_lines(Source(text), "stream") == [5]
    assert giving_lines(Source(text), "other") == []


def test_what_is_told_can_be_written() -> None:
    source = Source(_GENERATOR.format("{'a': img}, (label, 1)"))
    found = batch_of_one(source, "a.py", 4, {"img": [8, 8], "label": [3]})
    assert found is not None
    assert found[0] == "{'a': img[None]}, (label[None], np.array([1]))"
