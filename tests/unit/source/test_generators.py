from __future__ import annotations

from tests.unit.source.at import FILE, at
from whydied.source.generators import Generator, iterator_asked, only_generator

TWO = """\
def rows():
    yield 1
def pairs():
    def inner():
        yield 3
    yield 2
data = from_generator(pairs)
model.fit(rows())
it = iter(data)
next(it)
"""


def test_the_generator_that_the_failing_statement_names() -> None:
    sources, place = at(TWO, 8)
    assert only_generator(sources, place) == Generator("rows", FILE, 2)
    assert only_generator(sources, None) is None


def test_the_only_generator_of_a_program() -> None:
    sources, place = at("def rows():\n    yield 1\ndef twice():\n    yield 1\n    yield 2\n", 1)
    assert only_generator(sources, place) == Generator("rows", FILE, 2)


def test_the_iterator_of_a_statement_else_the_only_one() -> None:
    assert iterator_asked(*at(TWO, 10)) == "it"
    assert iterator_asked(*at(TWO, 8)) is None
    session = "batch = iterator.get_next()\nsession.run(batch)\n"
    assert iterator_asked(*at(session, 1)) == "iterator"
    assert iterator_asked(*at(session, 2)) == "iterator"
    assert iterator_asked(*at(session + "other.get_next()\n", 2)) is None
