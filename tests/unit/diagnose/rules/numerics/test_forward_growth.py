"""An explosion within one forward pass is told at the layer where it begins."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.bad_steps import again, bad_step, captured, numbers, op, user_frame
from whydied.diagnose.engine import diagnose
from whydied.diagnose.finding import Finding
from whydied.records import Blame, Level, NodeLine, OpInput

SOURCE = """import keras

given = keras.Input((16,))
inner = keras.layers.Dense(64, "relu")(given)
inner = keras.layers.Dense(64, kernel_initializer=keras.initializers.RandomNormal(stddev=20.0))(inner)
inner = keras.layers.Dense(1)(inner)
model = keras.Model(given, inner)
model.compile("sgd", "mse")
x = y = 1
model.fit(x, y)
"""


def level(layer: str, largest: float, line: int = 0) -> Level:
    made = NodeLine(frames=[], layer=layer, layer_made=user_frame(line)) if line else None
    return Level(layer=layer, largest=largest, line=made)


def told(*levels: Level, step: int = 0) -> tuple[Finding, list[str]]:
    given = OpInput(
        origin="op", name="sub", numbers=numbers(shape=(32, 1), least=-1e24, greatest=1e24), at_bad=["1e24"]
    )
    first = op("Square", line=None, inputs=[given])
    replay = again(Blame(kind="weights", name="dense/kernel", tried=True), first, levels=list(levels))
    case = bad_step(replay=replay, source=SOURCE, step=captured(step=step))
    found = diagnose(case.recording, case=case)
    assert found.errors == []
    assert found.cause is not None
    return found.cause, [fix.patch or "" for fix in found.fixes]


GROWS = (level("", 3.0), level("dense", 4.0, 4), level("dense_1", 900.0, 5), level("dense_2", 1e24, 6))


def test_the_layer_that_first_multiplies_is_named_and_gets_the_usual_weights() -> None:
    found, patches = told(*GROWS)
    assert found.location is not None
    assert (found.name, found.location.line) == ("nonfinite-from-op", 5)
    assert "the values grow from 3 in the batch to 1e+24 after 3 layers, from layer dense_1 on" in found.message
    assert 'kernel_initializer="glorot_uniform"' in patches[0]


@pytest.mark.parametrize(
    ("levels", "step"),
    [
        (GROWS, 5),
        ((level("", 1e20), level("dense", 1e21, 4), level("dense_1", 1e24, 5)), 0),
        ((), 0),
    ],
)
def test_large_data_and_later_steps_are_told_otherwise(levels: tuple[Level, ...], step: int) -> None:
    found, _ = told(*levels, step=step)
    assert "the values grow" not in found.message
