"""The classes that only the rows for validation have."""

from __future__ import annotations

import numpy as np
import pytest

from whydied.inside.public.contract.split_classes import kept_for_validation

SORTED = np.repeat([0, 1, 2], 20)


@pytest.mark.parametrize("targets", [SORTED, SORTED[:, None].astype("float32"), np.eye(3)[SORTED]])
def test_the_last_class_is_kept_whole(targets: np.ndarray) -> None:
    assert kept_for_validation(targets, 0.25) == (15, ())
    assert kept_for_validation(targets, 0.4) == (24, (2,))


@pytest.mark.parametrize(
    "targets",
    [
        # Numbers that are no classes, rows with several classes, and no array.
        np.linspace(0, 1, 60),
        np.ones((60, 3)),
        SORTED.tolist(),
        np.array(["a"] * 60),
        SORTED - 1,
    ],
)
def test_what_is_no_class(targets: object) -> None:
    assert kept_for_validation(targets, 0.4) is None
