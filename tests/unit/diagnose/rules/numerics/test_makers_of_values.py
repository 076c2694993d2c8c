"""What lies behind a bad value: a schedule, numbers that the program set, an epsilon that half precision cannot hold, a
function that is written out, rows that a layer of the library cannot take."""

from __future__ import annotations

import msgspec
import pytest

from tests.unit.diagnose.bad_steps import (
    FIT_LINE,
    again,
    bad_step,
    captured,
    fed,
    given,
    norms,
    numbers,
    op,
    rows,
    user_frame,
    weight,
)
from tests.unit.diagnose.case_of import FILE
from whydied.diagnose.case import Case
from whydied.diagnose.engine import Diagnosis, diagnose
from whydied.records import Blame, NodeLine, OpInput, Suspect, WarningIssued

FIT = "model.fit(x, y)\n"


def told(case: Case) -> Diagnosis:
    found = diagnose(case.recording, case=case)
    assert found.errors == []
    assert found.cause is not None
    return found


def line_of(found: Diagnosis) -> int | None:
    return found.cause.location.line if found.cause is not None and found.cause.location is not None else None


def text(*lines: str) -> str:
    """A program whose call of `fit` stands where the steps of the tests are."""
    return "\n".join(lines) + "\n" * (FIT_LINE - len(lines)) + FIT


def bad_weight() -> Blame:
    return Blame(kind="weight", name="dense/kernel", tried=True)


def test_a_rate_that_was_not_finite_in_the_step_before_is_named_with_its_line() -> None:
    source = text("import tensorflow as tf", "def rate(step):", "    return 0.1 * tf.math.rsqrt(step)")
    before = op("Rsqrt", "0", line=3)
    found = told(bad_step(norms(1.0, 1.1), replay=again(bad_weight(), before=before), source=source))
    assert found.cause is not None
    assert (found.cause.name, line_of(found), found.cause.certainty) == ("nonfinite-weights", 3, "certain")
    assert "rsqrt(0)" in found.cause.message
    assert "+    return 0.1 * tf.math.rsqrt(tf.maximum(step, 1.0))" in (found.fixes[0].patch or "")


SETS = text(
    "import numpy as np", "bias = np.log(frequency)", "bias /= np.linalg.norm(bias)", "layer.set_weights([bias])"
)


def warned(message: str, line: int) -> WarningIssued:
    return WarningIssued(category="RuntimeWarning", message=message, file=FILE, line=line)


def test_weights_that_the_program_sets_are_followed_to_the_first_warning() -> None:
    case = bad_step(
        warned("divide by zero encountered in log", 2),
        warned("invalid value encountered in divide", 3),
        capture=given(fed(), weight(numbers=numbers(1, shape=(8, 4)))),
        replay=again(bad_weight()),
        source=SETS,
    )
    found = told(case)
    assert found.cause is not None
    assert (found.cause.name, line_of(found), found.cause.certainty) == ("nonfinite-weights", 2, "likely")
    assert "+bias = np.log(np.maximum(frequency, 1e-7))" in (found.fixes[0].patch or "")


def test_weights_that_were_loaded_have_the_line_that_loads_them() -> None:
    source = text("import numpy as np", "x = np.log(raw)", "model.load_weights('w.h5')")
    case = bad_step(warned("divide by zero encountered in log", 2), replay=again(bad_weight()), source=source)
    assert line_of(told(case)) == 3


HALF = text("EPS = 1e-12", "import keras", "y = a / keras.ops.sqrt(v + EPS)")


@pytest.mark.parametrize(("dtype", "line"), [("float16", 1), ("float32", 3)])
def test_an_epsilon_that_is_zero_in_half_precision_is_named(dtype: str, line: int) -> None:
    first = op("RealDiv", "0", line=3, output=numbers(1, shape=(4,), dtype=dtype))
    found = told(bad_step(replay=again(rows(3), first), source=HALF))
    assert line_of(found) == line
    assert (found.cause is not None and "is 0 in float16" in found.cause.message) == (dtype == "float16")


def test_an_epsilon_that_half_precision_can_hold_is_not_blamed() -> None:
    first = op("RealDiv", "0", line=3, output=numbers(1, shape=(4,), dtype="float16"))
    assert line_of(told(bad_step(replay=again(rows(3), first), source=HALF.replace("1e-12", "1e-6")))) == 3


def test_an_exponential_that_only_the_gradient_shows_gets_the_function_that_is_written_out() -> None:
    source = text("import tensorflow as tf", "def f(x):", "    return tf.math.log(1.0 + tf.exp(x))")
    suspects = [Suspect(role="gradient", name="dense/kernel", numbers=numbers(4, shape=(4,)))]
    case = bad_step(
        norms(1.0, 1.0, losses=[0.5, 0.5]),
        step=captured(*suspects),
        replay=again(rows(3), op("Exp", "154.1", line=3)),
        source=source,
    )
    found = told(case)
    assert found.cause is not None
    assert found.cause.name == "nonfinite-gradient"
    assert found.cause.advice == ["Write it as `tf.math.softplus(…)`, which computes the same and does not overflow."]
    assert "+    return tf.math.softplus(x)" in (found.fixes[0].patch or "")


def test_the_same_op_in_other_statements_of_the_function_is_guarded_too() -> None:
    source = text(
        *("import tensorflow as tf", "def focal(p, q):", "    pos = 0.5 * tf.math.log(p)"),
        *("    neg = tf.math.log(1.0 - q)", "    kept = tf.math.log(q + 1e-6)", "    return pos + neg + kept"),
        "other = tf.math.log(z)",
    )
    found = told(bad_step(replay=again(rows(3), op("Log", "0", line=3)), source=source))
    assert found.cause is not None
    assert "instead of `p`, likewise on line 4" in found.cause.advice[-1]
    added = [line for line in (found.fixes[0].patch or "").splitlines() if line.startswith("+ ")]
    assert added == [
        "+    pos = 0.5 * tf.math.log(tf.maximum(p, 1e-7))",
        "+    neg = tf.math.log(tf.maximum(1.0 - q, 1e-7))",
    ]


def test_rows_that_a_layer_of_the_library_cannot_take_are_to_be_left_out() -> None:
    line = NodeLine(frames=[user_frame(FIT_LINE)], layer="pooling", layer_made=user_frame(2))
    first = op("RealDiv", "0", line=None)
    first = msgspec.structs.replace(first, line=line)
    found = told(bad_step(replay=again(rows(3, values=["0 throughout"]), first), source=text("a = 1", "b = 2")))
    assert found.cause is not None
    assert "which is 0 throughout" in found.cause.message
    assert found.cause.advice[0].startswith("Leave out the rows of x that are 0 throughout: `x[(x != 0).any(axis=1)]`")
    assert found.fixes == []


@pytest.mark.parametrize(
    ("divides", "greatest", "word"), [(True, 1.0, "softplus"), (False, 7.0, "softplus"), (False, 1.0, "sigmoid")]
)
def test_a_plain_output_becomes_what_it_is_used_as(divides: bool, greatest: float, word: str) -> None:
    made = NodeLine(frames=[user_frame(2)], layer="dense", layer_made=user_frame(2))
    argument = OpInput(
        origin="op", name="split", at_bad=["-0.04"], made_by="BiasAdd", made_at=made, divides=divides,
        numbers=numbers(shape=(32, 1)),
    )  # fmt: skip
    labels = fed(name="y", tensor="y:0", numbers=numbers(shape=(32, 1), least=0.0, greatest=greatest))
    case = bad_step(
        capture=given(fed(), labels),
        replay=again(Blame(kind="weights", name="dense/kernel"), op("Log", "-0.04", line=8, inputs=[argument])),
        source=text("import keras", "out = keras.layers.Dense(1)"),
    )
    found = told(case)
    assert line_of(found) == 2
    assert f'activation="{word}"' in (found.fixes[0].patch or "")


MASKED = text(
    "import tensorflow as tf", "def call(s, m):", "    s = tf.where(m, s, float('-inf'))", "    return tf.nn.softmax(s)"
)


def test_a_softmax_of_a_masked_row_has_the_line_of_the_mask() -> None:
    given_scores = OpInput(origin="op", name="where", numbers=numbers(shape=(4, 5), minus_infinity=5))
    first = op("Softmax", line=4, inputs=[given_scores])
    found = told(bad_step(replay=again(rows(3), first), source=MASKED))
    assert line_of(found) == 3
    assert "+    s = tf.where(m, s, -1e9)" in (found.fixes[0].patch or "")
    plain = op("Softmax", line=4, inputs=[OpInput(origin="op", name="where", numbers=numbers(shape=(4, 5)))])
    assert line_of(told(bad_step(replay=again(rows(3), plain), source=MASKED))) == 4


def test_a_table_that_was_merged_with_rows_without_a_match_is_to_be_filled() -> None:
    source = text("import pandas as pd", "x = a.merge(b, on='id', how='left')")
    found = told(bad_step(capture=given(fed(1)), replay=again(rows(3, kind="data", values=["nan"])), source=source))
    assert line_of(found) == 2
    assert "+x = a.merge(b, on='id', how='left').fillna(0)" in (found.fixes[0].patch or "")


def test_a_constant_is_followed_to_the_warning_about_it() -> None:
    source = text(
        "import numpy as np", "weights = 1 / counts", "weights = weights / np.sum(weights)", "y = tf.gather(weights, k)"
    )
    blame = Blame(kind="constant", name="weights", values=["nan"], tried=True)
    case = bad_step(
        warned("divide by zero encountered in divide", 2),
        warned("invalid value encountered in divide", 3),
        replay=again(blame, op("GatherV2", line=4)),
        source=source,
    )
    found = told(case)
    assert found.cause is not None
    assert (found.cause.name, line_of(found), found.cause.certainty) == ("nonfinite-constant", 2, "likely")
    assert line_of(told(bad_step(replay=again(blame, op("GatherV2", line=4)), source=source))) == 4
