"""Weights in float16 because of Keras' default type: the epsilon is what has to change."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.bad_steps import again, bad_step, captured, given, numbers, op, weight
from whydied.diagnose.engine import diagnose
from whydied.records import Blame

SOURCE = """import keras

keras.backend.set_floatx("float16")
model = keras.Sequential()
a = 1
b = 2
c = 3
d = 4
e = 5
model.fit(x, y)
"""


def found_in(source: str, dtype: str, step: int) -> tuple[int | None, str]:
    first = op("Sum", output=numbers(0, 1, dtype="float16"))
    case = bad_step(
        capture=given(weight(dtype=dtype)),
        replay=again(Blame(kind="precision", tried=True), first),
        source=source,
        step=captured(step=step),
    )
    found = diagnose(case.recording, case=case)
    assert found.errors == []
    assert found.cause is not None
    assert found.cause.name == "half-precision-overflow"
    patches = [fix.patch or "" for fix in found.fixes]
    return found.cause.location.line if found.cause.location else None, patches[0] if patches else ""


def test_the_line_that_sets_the_type_is_named_and_gets_an_epsilon() -> None:
    line, patch = found_in(SOURCE, "float16", 1)
    assert line == 3
    assert "+keras.backend.set_epsilon(1e-4)" in patch


@pytest.mark.parametrize(
    ("source", "dtype", "step"),
    [
        (SOURCE, "float32", 1),
        (SOURCE, "float16", 0),
        (SOURCE.replace("a = 1", "keras.backend.set_epsilon(1e-3)"), "float16", 1),
    ],
)
def test_other_overflows_are_told_at_their_op(source: str, dtype: str, step: int) -> None:
    assert found_in(source, dtype, step)[0] == 6
