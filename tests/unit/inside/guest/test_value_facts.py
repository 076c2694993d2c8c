from __future__ import annotations

from collections import OrderedDict, deque
from typing import Any
from unittest.mock import MagicMock

import pytest

from whydied.inside.guest.value_facts import describe


@pytest.mark.parametrize(
    ("value", "kind", "length"),
    [
        ([1, 2], "list", 2),
        ((), "tuple", 0),
        ({"a": 1}, "dict", 1),
        (OrderedDict(a=1), "collections.OrderedDict", 1),
        (deque([1]), "collections.deque", 1),
        ("word", "str", 4),
        (3, "int", None),
        (None, "NoneType", None),
    ],
)
def test_plain_values(value: Any, kind: str, length: int | None) -> None:
    facts = describe(value)
    assert (facts.type, facts.length) == (kind, length)


def test_arrays() -> None:
    numpy = pytest.importorskip("numpy")
    facts = describe(numpy.zeros((3, 4), "float32"))
    assert (facts.type, facts.shape, facts.dtype, facts.size_bytes) == ("numpy.ndarray", [3, 4], "float32", 48)


def test_no_code_of_the_users_runs() -> None:
    class Trap(list):  # type: ignore[type-arg]
        def __len__(self) -> int:
            raise AssertionError

        @property
        def shape(self) -> Any:
            raise AssertionError

        def __getattr__(self, name: str) -> Any:
            raise AssertionError

    class Meta(type):
        def __getattribute__(cls, name: str) -> Any:
            raise AssertionError

    class Odd(metaclass=Meta):
        pass

    assert describe(Trap([1, 2])).length == 2
    assert describe(object.__new__(Odd)).type.endswith("Odd")


def test_what_only_says_that_it_is_a_dict_is_known_by_its_type() -> None:
    class Proxy:
        @property  # type: ignore[misc]
        def __class__(self) -> type:
            return dict

    assert isinstance(Proxy(), dict)
    assert describe(Proxy()).length is None
    assert describe(MagicMock(spec=dict)).length is None
    assert describe(pytest.importorskip("wrapt").ObjectProxy({"a": 1})).length is None


def test_a_released_view_has_no_length() -> None:
    view = memoryview(b"abc")
    assert describe(view).length == 3
    view.release()
    assert describe(view).length is None
