"""Shapes as text: what fits, what does not, and the words for it."""

from __future__ import annotations

import pytest

from whydied.inside.public.shape_text import ShapeTextError, Sizes, is_decided, mismatch, parse


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("batch 28 28 1", (7, 28, 28, 1)),
        ("", ()),
        ("_ _any 3", (1, 2, 3)),
        ("... 3", (3,)),
        ("... 3", (5, 4, 3)),
        ("batch ...", (5,)),
        ("*lead 2 2", (9, 8, 2, 2)),
        ("rows=4 n n", (4, 6, 6)),
        ("n", (None,)),
        ((None, 28, "c"), (3, 28, 1)),
        ((4, ...), (4, 1, 1)),
    ],
)
def test_fits(text: object, shape: tuple[int | None, ...]) -> None:
    assert mismatch(parse(text), shape) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "shape", "words"),
    [
        ("batch 28 28 1", (7, 28, 27, 1), "axis 2 is 27, not 28"),
        ("batch 28", (7,), "it has 1 axis, not 2"),
        ("", (1,), "it has 1 axis, not 0"),
        ("a b ...", (1,), "it has 1 axis, not at least 2"),
        ("n n", (3, 4), "axis 1 is 4, not 3 (n is 3 elsewhere)"),
        ("... 3", (5, 4), "axis 1 is 4, not 3"),
        ((None, 2), (5, 4), "axis 1 is 4, not 2"),
    ],
)
def test_does_not_fit(text: object, shape: tuple[int, ...], words: str) -> None:
    assert mismatch(parse(text), shape) == words  # type: ignore[arg-type]


def test_names_bind_across_shapes_and_only_where_all_is_right() -> None:
    sizes: Sizes = {}
    assert mismatch(parse("batch 4"), (8, 4), sizes) is None
    assert sizes == {"batch": 8}
    assert mismatch(parse("n batch 4"), (2, 8, 5), sizes) == "axis 2 is 5, not 4"
    assert sizes == {"batch": 8}
    assert mismatch(parse("batch"), (9,), sizes) == "axis 0 is 9, not 8 (batch is 8 elsewhere)"
    assert mismatch(parse("*any 1"), (8, 3, 1), sizes) is None
    assert mismatch(parse("*any 2"), (8, 2, 2), sizes) == "the axes *any are (8, 2), not (8, 3) as elsewhere"


@pytest.mark.parametrize("text", ["a b-c", "... ...", "*a *b", "1.5", "-3", "n=x", "*3", "=3", 7, (1.5j,)])
def test_no_shape(text: object) -> None:
    with pytest.raises(ShapeTextError):
        parse(text)  # type: ignore[arg-type]


def test_what_a_trace_leaves_to_the_run() -> None:
    assert is_decided(parse("_ 28"), (None, 28))
    assert not is_decided(parse("batch 28"), (None, 28))
    assert not is_decided(parse("_ 28"), None)
    assert is_decided(parse("..."), None)
    assert is_decided(parse("_ 28"), (None, None, None))
