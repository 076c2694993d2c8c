"""A list of tensors and its older versions."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from whydied.graph.items import EMPTY, Items

ACTIONS = st.lists(st.tuples(st.sampled_from(["push", "replace"]), st.integers(0, 9)), max_size=40)


@given(ACTIONS)
def test_every_version_of_a_set_or_pushed_list_stays_readable(actions: list[tuple[str, int]]) -> None:
    """Lists are either pushed to or set, as the loops of TensorFlow do it."""
    for kind in ("push", "replace"):
        items, expected = Items([EMPTY] * 4), [EMPTY] * 4
        versions = [(items, list(expected))]
        for number, (_, at) in enumerate(actions):
            if kind == "push":
                items, expected = items.pushed(number), [*expected, number]
            else:
                items = items.replaced(at, number)
                expected = [number if position == at else old for position, old in enumerate(expected)]
            versions.append((items, list(expected)))
        for version, contents in versions:
            assert list(version) == contents


def test_what_was_pushed_is_popped_in_reverse() -> None:
    items = Items([])
    for number in range(5):
        items = items.pushed(number)
    seen = []
    while len(items):
        seen.append(items.get(len(items) - 1))
        items = items.popped()
    assert seen == [4, 3, 2, 1, 0]


def test_outside_there_is_nothing() -> None:
    assert Items([1]).get(1) == Items([1]).get(-1) == EMPTY
    assert list(Items([1]).replaced(5, 2)) == [1]
    assert len(Items([]).popped()) == 0
