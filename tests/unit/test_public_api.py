"""The public face is pinned: a name added or removed here is a decision, with a line in CHANGELOG.md."""

from __future__ import annotations

import whydied


def test_all_is_pinned() -> None:
    assert sorted(whydied.__all__) == [
        "__version__",
        "accumulate",
        "assert_finite",
        "assert_range",
        "assert_shape",
        "estimate",
        "expect",
        "fit_batch_size",
        "limit_bytes",
        "limit_dims",
        "log",
        "start",
    ]


def test_every_public_name_is_there() -> None:
    for name in whydied.__all__:
        assert getattr(whydied, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(whydied, "no_such_name")
