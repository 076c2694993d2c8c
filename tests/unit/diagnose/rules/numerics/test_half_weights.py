"""Weights in float16 because of Keras' default type: the epsilon is what has to change."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.bad_steps import again, bad_step, captured, given, numbers, op, weight
from whydied.diagnose.engine import diagnose
from whydied.records import Blame, VersionsSeen

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


def found_in(source: str, dtype: str, step: int, keras: str = "") -> tuple[int | None, str, str]:
    first = op("Sum", output=numbers(0, 1, dtype="float16"))
    case = bad_step(
        *([VersionsSeen(versions={"keras": keras})] if keras else []),
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
    line = found.cause.location.line if found.cause.location else None
    return line, patches[0] if patches else "", found.cause.message


def test_the_line_that_sets_the_type_is_named_and_gets_an_epsilon() -> None:
    line, patch, _ = found_in(SOURCE, "float16", 1)
    assert line == 3
    assert "+keras.backend.set_epsilon(1e-4)" in patch


def test_the_optimizer_of_keras_3_gets_an_epsilon_of_its_own() -> None:
    source = SOURCE.replace("b = 2", "best = keras.optimizers.Adam(1e-3)")
    line, patch, message = found_in(source, "float16", 1, "3.15.0")
    assert line == 6
    assert "+best = keras.optimizers.Adam(1e-3, epsilon=1e-4)" in patch
    assert "does not change" not in message
    named = SOURCE.replace("b = 2", 'model.compile("adam", "mse")')
    assert '+model.compile(keras.optimizers.Adam(epsilon=1e-4), "mse")' in found_in(named, "float16", 1, "3.15.0")[1]


def test_an_epsilon_that_the_optimizer_does_not_read_is_told() -> None:
    source = SOURCE.replace("a = 1", "keras.backend.set_epsilon(1e-3)").replace("b = 2", "best = Adam(1e-3)")
    line, patch, message = found_in(source, "float16", 1, "3.15.0")
    assert line == 6
    assert "`set_epsilon` (line 5 of train.py) does not change that of the optimizer" in message
    assert "+best = Adam(1e-3, epsilon=1e-4)" in patch


def test_an_optimizer_with_an_epsilon_is_not_blamed() -> None:
    source = SOURCE.replace("b = 2", "best = Adam(1e-3, epsilon=1e-3)")
    assert "next to 0" not in found_in(source, "float16", 1, "3.15.0")[2]


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
