from __future__ import annotations

from typing import Any

import numpy
import pytest

from whydied.inside.preflight import fit_trial


def fit(self: Any, x: Any = None, batch_size: int = 32, epochs: int = 1, steps_per_epoch: int | None = None) -> None:
    """As Keras has it."""


@pytest.mark.parametrize(("asked", "tried"), [(None, None), (3, 3), (10, 5)])
def test_a_trial_has_the_whole_batches_that_the_program_asks_for(asked: int | None, tried: int | None) -> None:
    x = numpy.zeros((500, 2))
    given = fit_trial._changed(fit, object(), (x,), {"steps_per_epoch": asked}, 95)
    assert given is not None
    assert (given["batch_size"], given["steps_per_epoch"], given["epochs"]) == (95, tried, 1000)


def test_data_of_less_than_two_batches_are_not_tried_by_fit() -> None:
    assert fit_trial._changed(fit, object(), (numpy.zeros((500, 2)),), {}, 251) is None
