"""Which of several causes of values that grew too large is printed, and which are offered as rivals."""

from __future__ import annotations

from tests.unit.diagnose.bad_steps import (
    SOURCE,
    again,
    bad_step,
    captured,
    fed,
    given,
    norms,
    numbers,
    op,
    rows,
    weight,
)
from whydied.diagnose.case import Case
from whydied.diagnose.engine import Diagnosis, diagnose
from whydied.diagnose.numerics.gradient_norms import growth
from whydied.records import Blame, Descent

WEIGHTS = Blame(kind="weights", name="dense/kernel", tried=True)
GROWN = (1.0, 1e3, 1e6, 1e9, 1e12)
SQUARED = SOURCE.replace("bad = model.layers[0]", "loss = -tf.reduce_mean(tf.square(model(x) - y))").replace(
    "import numpy as np", "import numpy as np; import tensorflow as tf"
)


def told(case: Case) -> Diagnosis:
    found = diagnose(case.recording, case=case)
    assert found.errors == []
    return found


def diverged(rate: float, descent: Descent | None, *, losses: list[float] | None = None, source: str = SOURCE) -> Case:
    seen = norms(*GROWN, learning_rate=rate, losses=losses or [])
    large = fed(numbers=numbers(shape=(32, 8), least=0.0, greatest=4e5))
    return bad_step(
        seen,
        capture=given(large, weight(numbers=numbers(shape=(8, 4), least=0.0, greatest=1e20))),
        replay=again(WEIGHTS, op("Square"), descent=descent),
        source=source.replace("10.0", str(rate)),
    )


def rivals(found: Diagnosis) -> list[tuple[str, str]]:
    return [(one.finding.name, one.change.kind) for one in found.candidates if not one.finding.id]


def test_a_rate_that_the_batch_does_not_bear_is_the_cause_and_the_op_only_a_rival() -> None:
    found = told(diverged(0.5, Descent(rate=0.01, rows=32), source=SQUARED))
    assert found.cause is not None
    assert found.cause.culprit is not None
    assert (found.cause.name, found.cause.culprit.name) == ("exploding-gradients", "learning_rate")
    assert [(fix.kind, fix.value) for fix in found.fixes] == [("learning-rate", 0.005), ("clipping", 1.0)]
    assert ("nonfinite-from-op", "numeric-guard") in rivals(found)
    assert ("exploding-gradients", "data-scale") in rivals(found)


def test_data_is_the_cause_where_an_ordinary_rate_works_once_it_is_scaled() -> None:
    found = told(diverged(0.01, Descent(rate=1e-11, scaled_rate=0.1, scaled=["x"], rows=32)))
    assert found.cause is not None
    assert found.cause.culprit is not None
    assert (found.cause.culprit.kind, found.cause.culprit.name) == ("data", "x")
    assert [fix.kind for fix in found.fixes] == ["data-scale"]
    assert ("exploding-gradients", "learning-rate") in rivals(found)


def test_data_is_not_the_cause_where_the_rate_is_too_large_for_scaled_data_too() -> None:
    for rate, descent in (
        (0.1, Descent(rate=1e-11, scaled_rate=0.01, scaled=["x"], rows=32)),
        (0.1, Descent(rate=0.01, scaled_rate=1.0, scaled=["x"], rows=32)),
        (5.0, Descent(rate=1e-11, scaled_rate=10.0, scaled=["x"], rows=32)),
        (0.01, Descent(rate=None, scaled_rate=0.1, scaled=["x"], tried=False, rows=32)),
    ):
        found = told(diverged(rate, descent))
        assert found.cause is not None
        assert found.cause.culprit is not None
        assert found.cause.culprit.name == "learning_rate"


def test_a_loss_that_falls_and_falls_has_no_lower_bound() -> None:
    falling = [-1e3, -1e5, -1e7, -1e9, -1e12]
    found = told(diverged(0.1, Descent(rate=10.0, rows=32), losses=falling, source=SQUARED))
    assert found.cause is not None
    assert "it has no lower bound" in found.cause.message
    assert [fix.kind for fix in found.fixes] == ["loss-sign"]
    rising = told(diverged(0.1, Descent(rate=0.01, rows=32), losses=[-one for one in falling], source=SQUARED))
    assert rising.cause is not None
    assert "lower bound" not in rising.cause.message


def test_few_rows_that_were_shown_to_bring_it_leave_the_rate_out() -> None:
    seen = norms(1.0, 1.1, 1.0, learning_rate=10.0)
    found = told(bad_step(seen, replay=again(rows(3, data_set="x", data_set_rows=[1500]), op("Square"))))
    assert found.cause is not None
    assert found.cause.name == "nonfinite-from-op"
    assert rivals(found) == []
    assert [(fix.kind, fix.value) for fix in found.fixes] == [("data-rows", [1500])]


def test_first_weights_that_are_too_large_are_told_by_the_line_that_loads_them() -> None:
    case = bad_step(
        capture=given(fed(), weight(numbers=numbers(shape=(8, 4), least=-1e9, greatest=1e9))),
        replay=again(WEIGHTS, op("Square", "1e30")),
        step=captured(step=0),
    )
    found = told(case)
    assert found.cause is not None
    assert found.cause.location is not None
    assert "the weights that are loaded reach 1e+09" in found.cause.message
    assert (found.cause.location.line, [fix.kind for fix in found.fixes]) == (9, ["weights"])


def test_a_gradient_of_zero_between_others_is_no_growth() -> None:
    assert growth(norms(1.0, 10.0, 1e3, 1e5)) is not None
    seen = norms(1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 1e2, 1e3, 1e5)
    dead = [[0.0, 0.0] if at == 5 else row for at, row in enumerate(seen.norms)]
    assert growth(type(seen)(function="", names=seen.names, steps=seen.steps, norms=dead, moment="capture")) is None
