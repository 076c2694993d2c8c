"""What made a training explode: one huge gradient, a recurrent layer without a bound, the rate that a callback sets."""

from __future__ import annotations

import math

import pytest

from tests.unit.diagnose.bad_steps import again, bad_step, captured, fed, given, norms, numbers, op, rows, weight
from tests.unit.diagnose.case_of import FILE
from whydied.diagnose.case import Case
from whydied.diagnose.engine import diagnose
from whydied.diagnose.finding import Finding
from whydied.diagnose.numerics.gradient_norms import burst, overshoot
from whydied.graph.op_table import Function, Layer, Table
from whydied.read.steps import Graphs
from whydied.records import Blame, GraphRecorded, NormsSeen

BAD_WEIGHT = Blame(kind="weight", name="lstm/kernel", tried=False)
RECURRENT = """import keras

series = keras.Input((40, 2))
inner = keras.layers.LSTM(32, activation="relu")(series)
model = keras.Model(series, inner)
model.compile(keras.optimizers.Adam(0.01), "mse")
x = y = 1
w = 2
v = 3
model.fit(x, y)
"""
SCHEDULED = """import keras

def rate(epoch):
    if epoch < 80:
        return 0.001
    return 0.0001

callback = keras.callbacks.LearningRateScheduler(rate)
model.compile(keras.optimizers.SGD(momentum=0.9), "mse")
model.fit(x, y, callbacks=[callback])
"""


def cause_of(case: Case) -> Finding:
    found = diagnose(case.recording, case=case)
    assert found.errors == []
    assert found.cause is not None
    return found.cause


def burst_norms(*rows: float, **fields: object) -> NormsSeen:
    return norms(*rows, **fields)


def spoiled(seen: NormsSeen, source: str, *records: GraphRecorded) -> Case:
    state = weight("lstm/kernel", numbers=numbers(10, shape=(8, 4)))
    return bad_step(
        seen,
        *records,
        capture=given(state),
        replay=again(BAD_WEIGHT, op("MatMul")),
        source=source,
        step=captured(step=3),
    )


def test_a_burst_is_a_finite_gradient_that_cannot_be_squared_before_the_bad_step() -> None:
    found = burst(burst_norms(3.0, math.inf, math.nan), 2)
    assert found is not None
    assert (found.step, found.first) == (1, "lstm/kernel")
    assert burst(burst_norms(3.0, 4.0, math.nan), 2) is None
    assert burst(burst_norms(3.0, math.inf), 1) is None
    assert burst(burst_norms(math.nan, math.inf), 2) is None


def test_weights_that_a_burst_made_nan_are_an_explosion_and_not_the_optimizers_fault() -> None:
    seen = burst_norms(3.0, math.inf, 5.0, math.nan, learning_rate=10.0)
    found = cause_of(spoiled(seen, RECURRENT.replace(', activation="relu"', "")))
    assert found.name == "exploding-gradients"
    assert "the gradients reached more than 1e+19 at step 1, nearest to the loss in lstm/kernel" in found.message


@pytest.mark.parametrize(("activation", "line"), [("relu", 4), ("tanh", 6)])
def test_a_recurrent_layer_without_a_bound_is_named(activation: str, line: int) -> None:
    seen = burst_norms(3.0, math.inf, 5.0, math.nan, learning_rate=0.01)
    case = spoiled(
        seen,
        RECURRENT.replace("relu", activation),
        GraphRecorded(function="step", file="1.bin", operations=2),
    )
    layer = Layer(name="lstm", type="LSTM", file=FILE, line=4)
    case.recording.graphs = Graphs(
        tables={"1.bin": Table(name="step", functions=(Function(name="step", ops=()),), layers=(layer,))}
    )
    found = cause_of(case)
    assert found.location is not None
    assert (found.name, found.location.line) == ("exploding-gradients", line)
    assert ("does not bound its state" in found.message) == (activation == "relu")


def test_the_rate_of_a_callback_is_where_its_function_returns_it() -> None:
    seen = norms(1.0, 40.0, 1600.0, 64000.0, 2.6e6, learning_rate=0.001)
    found = cause_of(bad_step(seen, replay=again(Blame(kind="weights"), op("Square")), source=SCHEDULED))
    assert found.location is not None
    assert (found.name, found.location.line) == ("exploding-gradients", 5)


def test_a_rate_that_its_schedule_made_negative_is_said_to_be() -> None:
    source = SCHEDULED.replace("        return 0.001\n    return 0.0001", "        pass\n    return 0.1 - 0.03 * epoch")
    seen = norms(1.0, 40.0, 1600.0, 64000.0, 2.6e6, learning_rate=-0.02)
    found = cause_of(bad_step(seen, replay=again(Blame(kind="weights"), op("Square")), source=source))
    assert found.location is not None
    assert (found.name, found.location.line) == ("exploding-gradients", 6)
    assert "a learning rate that is negative (-0.02)" in found.message


def test_a_rate_that_is_nan_is_told_beside_the_weights_that_it_spoiled() -> None:
    found = cause_of(spoiled(norms(1.0, 2.0, 1.0, math.nan, learning_rate=math.nan), RECURRENT))
    assert found.name == "nonfinite-weights"
    assert "the learning rate was NaN" in found.message


def test_a_weight_that_could_not_be_read_is_not_called_nan() -> None:
    seen = norms(1.0, 0.9, 0.8, moment="end", weights=[None, 1.0])
    case = bad_step(seen)
    case.recording.taken = {}
    found = diagnose(case.recording, case=case)
    assert all(one.name != "nonfinite-weights" for one in found.findings)


def test_weights_that_updates_made_huge_are_a_divergence_although_one_row_overflowed_first() -> None:
    grown = weight(numbers=numbers(shape=(8, 4), least=-6e25, greatest=1.0))
    case = bad_step(norms(1e14, math.inf), capture=given(fed(), grown), replay=again(rows(0), op("Square", "4e20")))
    found = cause_of(case)
    assert found.name == "exploding-gradients"
    tame = given(fed(), weight(numbers=numbers(shape=(8, 4), least=-6.0, greatest=1.0)))
    assert cause_of(bad_step(capture=tame, replay=again(rows(0), op("Square", "4e20")))).name == "nonfinite-from-op"


def test_plain_descent_is_slowed_by_what_its_gradients_say_beside_the_loss() -> None:
    seen = norms(4e4, losses=[5000.0], learning_rate=0.2)
    assert overshoot([seen]) == pytest.approx(0.2 * (0.9 * 4e4) ** 2 / 20000.0, rel=1e-6)
    assert overshoot([norms(4e4, losses=[math.nan], learning_rate=0.2)]) is None
    source = "\n".join(
        ["import keras"] * 6 + ["opt = keras.optimizers.SGD(learning_rate=0.2)", "", "", "model.fit(x, y)"]
    )
    grown = weight(numbers=numbers(shape=(8, 4), least=-6e25, greatest=1.0))

    def advice(text: str) -> list[str]:
        capture = given(fed(), grown)
        return cause_of(
            bad_step(seen, capture=capture, replay=again(rows(0), op("Square", "4e20")), source=text)
        ).advice

    assert "100,000 times smaller" in advice(source)[0]
    assert "ten times smaller" in advice(source.replace("SGD", "Adam"))[0]


def test_data_that_is_scaled_already_is_not_to_be_scaled() -> None:
    grown = weight(numbers=numbers(shape=(8, 4), least=-6e25, greatest=1.0))

    def advice(greatest: float) -> list[str]:
        data = fed(numbers=numbers(shape=(32, 8), least=-1.0, greatest=greatest))
        return cause_of(bad_step(capture=given(data, grown), replay=again(rows(0), op("Square", "4e20")))).advice

    assert not any("Scale" in one for one in advice(1.0))
    assert any("Scale" in one for one in advice(300.0))
