"""A changed program that fails at once of what the change made."""

from __future__ import annotations

import textwrap

from whydied.prove.next_use import fails_of_it
from whydied.prove.observed import Call
from whydied.source.edits.edit import Edit
from whydied.source.text import Source

FILE = "/p/train.py"
PROGRAM = Source(
    textwrap.dedent(
        """\
        encoder = OneHotEncoder(categorical_features=[0])
        size = 3
        table = encoder.fit_transform(table)
        encoder.save()
        encoder.close()

        def scaled(values):
            width, height = sizes(values)
            total = values.sum()
            return total / width
        """
    )
)


def fails(edited: int, *lines: int, function: str = "<module>") -> bool:
    edit = Edit(FILE, (edited, 0), (edited, 1), "x")
    return fails_of_it({FILE: PROGRAM}, [edit], [Call(FILE, function, line) for line in lines])


def test_the_first_uses_of_what_was_made() -> None:
    assert fails(1, 3)
    assert fails(1, 4)
    assert fails(8, 20, 10, function="scaled")


def test_uses_further_on_and_other_statements() -> None:
    """A third use, a statement that does not use it, one that makes nothing, another file and no stack."""
    assert not fails(1, 5)
    assert not fails(1, 2)
    assert not fails(8, 9)
    assert not fails(4, 5)
    assert not fails(1)
    assert not fails_of_it({}, [Edit(FILE, (1, 0), (1, 1), "x")], [Call(FILE, "<module>", 3)])
    assert not fails_of_it({FILE: PROGRAM}, [Edit(FILE, (1, 0), (1, 1), "x")], [Call("/p/other.py", "f", 3)])
