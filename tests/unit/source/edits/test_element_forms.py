"""The forms that a batch may need to have: what is offered for the element of a generator or a Sequence."""

from __future__ import annotations

import textwrap

import pytest

from whydied.source.edits.edit import edited
from whydied.source.edits.runs.element_forms import arrays_of, element_forms
from whydied.source.generators import only_giver
from whydied.source.location import Location
from whydied.source.text import Source

FILE = "/p/train.py"


def source_of(text: str) -> Source:
    return Source(textwrap.dedent(text))


def yielded(text: str) -> list[str]:
    """The line that gives the batch, in each of its forms."""
    source = source_of(text)
    found = only_giver({FILE: source}, None)
    assert found is not None
    whole = [edited(source, one.edits) or "" for one in element_forms(source, FILE, found)]
    return [next(line.strip() for line in one.splitlines() if "yield" in line) for one in whole]


def test_only_the_parts_that_were_seen_to_be_lists() -> None:
    source = source_of("import numpy as np\ndef batches(a, b):\n    yield (a, b.rows), a[:3]\n")
    found = only_giver({FILE: source}, None)
    assert found is not None
    seen = {"a": "numpy.ndarray", "b.rows": "list", "a[:3]": "numpy.ndarray"}
    assert [one.right for one in element_forms(source, FILE, found, seen)] == ["`np.array(b.rows)`", "`tuple(b.rows)`"]
    assert element_forms(source, FILE, found, {"a": "numpy.ndarray"}) == []


def test_each_part_alone_where_nothing_tells() -> None:
    source = source_of("import numpy as np\ndef batches(a, b):\n    yield a, b[0], np.ones(3)\n")
    found = only_giver({FILE: source}, None)
    assert found is not None
    assert [one.right for one in arrays_of(source, FILE, found)] == [
        "`np.array(a)`",
        "`np.array(b[0])`",
        "`np.array(a)` and `np.array(b[0])`",
    ]


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("yield [a, b], y", ["yield (a, b), y"]),
        (
            "rows = []\n    rows.append([a, b])\n    yield rows, y",
            ["yield tuple(np.array(one) for one in zip(*rows)), y", "yield np.array(rows), y"],
        ),
        ("rows = []\n    rows.append(a)\n    yield rows, y", ["yield np.array(rows), y", "yield tuple(rows), y"]),
        (
            "yield [read(one) for one in a], y",
            ["yield np.array([read(one) for one in a]), y", "yield tuple([read(one) for one in a]), y"],
        ),
        (
            "r, s = [], []\n    r.append(a)\n    s.append(b)\n    r = np.array(r)\n    yield (r, s), y",
            ["yield (r, np.array(s)), y", "yield (r, tuple(s)), y"],
        ),
        (
            "yield {'a': a, 'b': sorted(b)}, y",
            ["yield {'a': a, 'b': np.array(sorted(b))}, y", "yield {'a': a, 'b': tuple(sorted(b))}, y"],
        ),
        ("yield a, y", []),
        ("yield [a], y", []),
    ],
)
def test_parts_of_a_generator(body: str, lines: list[str]) -> None:
    assert yielded(f"import numpy as np\ndef batches(a, b, y):\n    {body}\n") == lines


def test_a_sequence_returns_its_batch() -> None:
    source = source_of(
        """
        import keras
        class Batches(keras.utils.Sequence):
            def __len__(self):
                return 3
            def __getitem__(self, at):
                return [self.a[at], self.b[at]], self.y[at]
        """
    )
    found = only_giver({FILE: source}, None)
    assert found is not None
    assert (found.name, found.line) == ("Batches", 7)
    assert [one.right for one in element_forms(source, FILE, found)] == ["`(self.a[at], self.b[at])`"]


def test_of_two_givers_the_one_that_is_passed() -> None:
    source = source_of(
        """
        def one():
            yield 1
        def other():
            yield 2
        data = other()
        model.fit(data)
        """
    )
    found = only_giver({FILE: source}, Location(file=FILE, line=7))
    assert found is not None
    assert found.name == "other"
    assert only_giver({FILE: source}, None) is None
