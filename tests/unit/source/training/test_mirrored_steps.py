"""The steps of a validation, like those of the training."""

from __future__ import annotations

import ast

import pytest

from whydied.source.training.mirrored_steps import mirrored_steps


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("m.fit(train.all(), steps_per_epoch=len(train), validation_data=valid.all())", "len(valid)"),
        ("m.fit(gen(a, b, 8), steps_per_epoch=len(a) // 8, validation_data=gen(c, d, 8))", "len(c) // 8"),
        # Written otherwise, or a number that is not of the data.
        ("m.fit(gen(a, b, 8), steps_per_epoch=len(a) // 8, validation_data=gen(c, 8))", None),
        ("m.fit(gen(a), steps_per_epoch=20, validation_data=gen(c))", None),
        ("m.fit(gen(a), validation_data=gen(c))", None),
    ],
)
def test_what_validation_steps_would_be(text: str, steps: str | None) -> None:
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call)
    assert mirrored_steps(call) == steps
