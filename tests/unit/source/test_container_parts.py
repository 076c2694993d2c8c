from __future__ import annotations

import pytest

from whydied.source.container_parts import holder_of, item, item_in, whole


@pytest.mark.parametrize(
    ("text", "items", "found"),
    [
        ("[ids, mask]", "[1]", "mask"),
        ("{'kind': labels}", "['kind']", "labels"),
        ("(x, {'a': y})", "[1]['a']", "y"),
        ("data", "['kind']", "data['kind']"),
        ("[data]", "[0]['kind']", "data['kind']"),
        ("[ids]", "[5]", "[ids][5]"),
        ("x", "", "x"),
        ("x", ".shape", "x.shape"),
        ("x", "[key]", "x[key]"),
        ("not python", "[0]", "not python[0]"),
    ],
)
def test_an_item_as_the_source_has_it(text: str, items: str, found: str) -> None:
    assert item_in(text, items) == found


def test_an_item_by_its_path() -> None:
    assert item("(x, y)", (1, "a]b")) == "y['a]b']"
    assert item("x  ,  y", ()) == "x  ,  y"


@pytest.mark.parametrize(
    ("text", "found"),
    [("y[k:k + 8]", "y"), ("data['y']", "data['y']"), ("data['y'][rows]", "data['y']"), ("= 1", "= 1")],
)
def test_what_a_part_is_taken_from(text: str, found: str) -> None:
    assert whole(text) == found


def test_a_holder_without_some_of_its_items() -> None:
    assert holder_of("pages[day][0]", 1) == "pages[day]"
    assert holder_of("pages", 3) == "pages"
