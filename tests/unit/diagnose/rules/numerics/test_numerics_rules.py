from __future__ import annotations

import msgspec
import pytest

from tests.unit.diagnose.bad_steps import (
    FIT_LINE,
    LOAD_LINE,
    OPTIMIZER_LINE,
    SOURCE,
    WARNED_LINE,
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
from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.case import Case
from whydied.diagnose.engine import diagnose
from whydied.diagnose.finding import Finding
from whydied.diagnose.registry import RULES
from whydied.diagnose.rules.numerics import nonfinite_from_op, nonfinite_in_data
from whydied.records import Blame, CallBegan, DataSeen, Link, NodeLine, OpInput, Replay, Suspect, WarningIssued


def cause(case: Case) -> Finding:
    found = diagnose(case.recording, case=case)
    assert found.errors == []
    assert found.cause is not None
    return found.cause


def line_of(finding: Finding) -> int | None:
    return finding.location.line if finding.location else None


def warning(message: str, line: int = WARNED_LINE) -> WarningIssued:
    return WarningIssued(category="RuntimeWarning", message=message, file=FILE, line=line)


def nan_rows(**fields: object) -> Blame:
    return rows(3, kind="data", columns=[2], values=["nan"], **fields)


def test_an_op_out_of_its_domain_is_told_with_value_layer_and_rows() -> None:
    found = cause(bad_step(replay=again(rows(3))))
    assert found.name == "nonfinite-from-op"
    assert found.certainty == "certain"
    assert found.message == (
        "train.py:6: the loss turned NaN at step 47 of fit: log(0) in layer badlog, "
        "caused by row 3 of the batch (row 1500 of x)"
    )
    assert line_of(found) == 6
    assert found.culprit is not None
    assert found.culprit.rows is not None
    assert (found.culprit.kind, found.culprit.name) == ("row", "x")
    assert (found.culprit.rows.batch, found.culprit.rows.dataset, found.culprit.rows.count) == ([3], [1500], 1)
    assert [link.words for link in found.chain] == ["log(0) = -inf at [3, 1]"]


def test_rows_that_were_not_tried_are_likely_only() -> None:
    assert cause(bad_step(replay=again(rows(3, tried=False)))).certainty == "likely"


def test_an_op_of_a_built_in_layer_has_the_line_that_built_the_layer() -> None:
    line = NodeLine(frames=[user_frame(FIT_LINE)], layer="dense", layer_made=user_frame(6))
    first = msgspec.structs.replace(op(), line=line)
    assert line_of(cause(bad_step(replay=again(rows(3), first)))) == 6


def test_without_a_replay_an_op_is_possible_only() -> None:
    found = cause(bad_step())
    assert (found.name, found.certainty, line_of(found)) == ("nonfinite-from-op", "possible", FIT_LINE)


def test_a_replay_that_was_finite_is_said() -> None:
    found = cause(bad_step(replay=Replay(directory="", status="finite")))
    assert any("was finite" in piece.fact for piece in found.evidence)
    assert found.certainty == "possible"


def test_bad_rows_of_the_data_are_told_with_their_place_in_the_data_set() -> None:
    case = bad_step(capture=given(fed(1)), replay=again(nan_rows()), source="\n" * 9 + "model.fit(x, y)\n")
    found = cause(case)
    assert (found.name, found.certainty, line_of(found)) == ("nonfinite-in-data", "certain", FIT_LINE)
    assert "row 3 of the batch (row 1500 of x), column 2 held NaN" in found.message
    assert found.culprit is not None
    assert (found.culprit.kind, found.culprit.columns) == ("row", [2])


def test_a_bad_column_is_a_column() -> None:
    blame = rows(*range(20), kind="data", row_count=32, columns=[2], tried=True)
    found = cause(bad_step(capture=given(fed(32)), replay=again(blame), source="\n" * 9 + "model.fit(x, y)\n"))
    assert found.culprit is not None
    assert found.culprit.kind == "column"
    assert "column 2 of every row of the batch (32)" in found.message


def test_a_warning_of_numpy_names_the_line_that_made_the_data_bad() -> None:
    case = bad_step(
        warning("invalid value encountered in divide"), capture=given(fed(32)), replay=again(nan_rows(row_count=32))
    )
    found = cause(case)
    assert (line_of(found), found.certainty) == (WARNED_LINE, "likely")
    assert found.evidence[0].fact == "NumPy warned: invalid value encountered in divide"


@pytest.mark.parametrize(
    ("message", "line"),
    [("divide by zero encountered in log", WARNED_LINE), ("Mean of empty slice", WARNED_LINE)],
)
def test_a_warning_of_another_sort_is_not_the_maker(message: str, line: int) -> None:
    infinite = message.startswith("divide")
    case = bad_step(
        warning("invalid value encountered in divide" if infinite else message, line),
        capture=given(fed(numbers=numbers(0, 1, shape=(32, 8)))),
        replay=again(nan_rows()),
    )
    assert line_of(cause(case)) == FIT_LINE


def test_a_warning_after_the_step_is_a_consequence() -> None:
    case = bad_step(
        capture=given(fed(1)), replay=again(nan_rows()), after=[warning("invalid value encountered in divide")]
    )
    assert line_of(cause(case)) == FIT_LINE


def test_a_statement_that_writes_a_nan_into_the_data_is_the_maker() -> None:
    source = (
        "import numpy as np\nraw = np.ones((9, 8))\nraw[5, 2] = np.nan\nx = raw[1:]\ny = 1\n\n\n\n\nmodel.fit(x, y)\n"
    )
    found = cause(bad_step(capture=given(fed(1)), replay=again(nan_rows()), source=source))
    assert line_of(found) == 3


def test_a_statement_that_looks_for_nan_is_no_maker() -> None:
    source = "import numpy as np\nx = np.load('x')\nok = x[np.isnan(x)]\n\n\n\n\n\n\nmodel.fit(x, ok)\n"
    assert line_of(cause(bad_step(capture=given(fed(1)), replay=again(nan_rows()), source=source))) == FIT_LINE


def test_bad_data_is_likely_without_a_replay() -> None:
    found = cause(bad_step(capture=given(fed(3)), source="\n" * 9 + "model.fit(x, y)\n"))
    assert (found.name, found.certainty) == ("nonfinite-in-data", "likely")


def test_a_finite_forward_pass_with_a_bad_gradient() -> None:
    found = cause(bad_step(replay=again(rows(3), op("SqrtGrad", "0.0", phase="backward"))))
    assert (found.name, line_of(found)) == ("nonfinite-gradient", 6)
    assert "the gradient of sqrt at 0" in found.message
    assert "tf.sqrt(" in found.advice[0]


def test_a_derivative_that_divides_by_zero_is_not_answered_with_a_root() -> None:
    found = cause(bad_step(replay=again(rows(3), op("RealDiv", "0.0", phase="backward"))))
    assert found.name == "nonfinite-gradient"
    assert "divisor" in found.advice[0]


def test_a_loss_that_nobody_looked_at_is_not_called_finite() -> None:
    bad = captured(Suspect(role="gradient", name="dense/kernel", numbers=numbers(12, shape=(32,))))
    unseen = cause(bad_step(step=bad))
    assert (unseen.name, unseen.certainty) == ("nonfinite-gradient", "possible")
    assert unseen.message.endswith(": the derivative was not finite")
    seen = cause(bad_step(norms(1.0, 1.1, losses=[0.5, 0.4]), step=bad))
    assert "the loss was finite" in seen.message


def test_a_weight_that_was_loaded_bad() -> None:
    blame = Blame(kind="weight", name="dense/kernel", tried=True)
    case = bad_step(
        step=captured(step=0), capture=given(fed(), weight(numbers=numbers(5, shape=(8, 4)))), replay=again(blame)
    )
    found = cause(case)
    # The line that loads is found in the source, and nobody saw what it loaded.
    assert (found.name, line_of(found), found.certainty) == ("nonfinite-weights", LOAD_LINE, "likely")
    assert found.culprit is not None
    assert (found.culprit.kind, found.culprit.name) == ("weight", "dense/kernel")
    assert "already NaN in 5 of 32 values at the start of the step, from the beginning" in found.message


def test_a_weight_that_an_update_made_bad() -> None:
    blame = Blame(kind="weight", name="dense/kernel", tried=True)
    seen = norms(1.0, 1.1, learning_rate=10.0)
    found = cause(bad_step(seen, capture=given(fed(), weight(numbers=numbers(5))), replay=again(blame)))
    assert (found.name, line_of(found)) == ("nonfinite-weights", OPTIMIZER_LINE)
    assert "the optimizer's update did it" in found.message


def test_a_weight_that_is_bad_at_the_end_though_no_step_showed_it() -> None:
    nan = float("nan")
    found = cause(case_of(process=[norms(1.0, 1.1, moment="end", weights=[nan, 2.0])], exit_code=0))
    assert (found.name, found.certainty) == ("nonfinite-weights", "likely")
    assert found.culprit is not None
    assert found.culprit.name == "lstm/kernel"


def test_finite_weights_at_the_end_are_no_finding() -> None:
    case = case_of(process=[norms(1.0, 1.1, moment="end", weights=[3.0, 2.0])], exit_code=0)
    assert diagnose(case.recording, case=case).findings == []


def test_small_weights_that_bring_a_bad_op_are_no_explosion() -> None:
    """A discriminator that is sure of itself: log(0) is what has to change."""
    found = cause(bad_step(replay=again(Blame(kind="weights", name="dense/bias"))))
    assert found.name == "nonfinite-from-op"


def test_gradients_that_grow_are_told_with_factor_rate_and_layer() -> None:
    totals = (1.0, 50.0, 2e3, 1e5, 4e6, float("inf"))
    for made, certainty in ((None, "likely"), (user_frame(OPTIMIZER_LINE), "certain")):
        seen = norms(*totals, learning_rate=10.0, optimizer_made=made)
        found = cause(bad_step(seen, replay=again(Blame(kind="weights"))))
        assert (found.name, found.certainty, line_of(found)) == ("exploding-gradients", certainty, OPTIMIZER_LINE)
    assert "grew from 0.9055 to 3.6e+06 in 4 steps, first in lstm/kernel, with a learning rate of 10" in found.message
    assert found.culprit is not None
    assert (found.culprit.name, found.culprit.value) == ("learning_rate", "10")


def test_data_that_are_far_from_one_are_to_be_scaled_first() -> None:
    seen = norms(1.0, 50.0, 2e3, 1e5, 4e6, learning_rate=10.0, optimizer_made=user_frame(OPTIMIZER_LINE))
    for greatest, first in (
        (298.0, "Scale data and targets to around 1: `x` (0 to 298)."),
        (2.0, "Try a learning rate"),
    ):
        data = DataSeen(
            name="x", role="input", sort="array", shape=[None, 1], dtype="float32", rows_seen=9, call=1, kind="fit",
            numbers=numbers(shape=(9,), least=0.0, greatest=greatest),
        )  # fmt: skip
        found = cause(bad_step(data, seen, replay=again(Blame(kind="weights"))))
        assert found.advice[0].startswith(first)


def test_the_line_that_made_the_optimizer_is_not_told_where_it_names_another_rate() -> None:
    """A rate that a callback has raised since."""
    seen = norms(1.0, 50.0, 2e3, 1e5, 4e6, learning_rate=77.0, optimizer_made=user_frame(OPTIMIZER_LINE))
    found = cause(bad_step(seen, replay=again(Blame(kind="weights"))))
    assert (found.name, found.certainty) == ("exploding-gradients", "likely")


def test_numbers_that_were_drawn_again_or_taken_from_another_step_make_nothing_certain() -> None:
    drawn = again(rows(3))
    assert cause(bad_step(replay=msgspec.structs.replace(drawn, draws=2))).certainty == "likely"
    other = msgspec.structs.replace(fed(), reason="a value that the program has no name for: that of the traced step")
    assert (
        cause(bad_step(capture=given(msgspec.structs.replace(other, file="x.npy"), weight()), replay=drawn)).certainty
        == "likely"
    )
    assert cause(bad_step(replay=drawn)).certainty == "certain"


def test_a_number_of_the_programs_that_brings_it_is_named() -> None:
    blame = Blame(kind="op", name="tau", values=["0"], tried=True, words="the step is finite with 1 instead of tau")
    found = cause(bad_step(replay=again(blame)))
    assert (found.name, found.culprit and found.culprit.name) == ("nonfinite-from-op", "tau")
    assert "because tau is 0" in found.message


def test_a_single_spike_is_no_explosion() -> None:
    seen = norms(1.0, 1.2, 0.9, 1.1, 1e5, float("inf"))
    assert cause(bad_step(seen, replay=again(rows(3)))).name == "nonfinite-from-op"


def test_weights_blown_up_by_one_update() -> None:
    huge = weight(numbers=numbers(shape=(8, 4), least=-1e20, greatest=3e20))
    found = cause(bad_step(step=captured(step=1), capture=given(fed(), huge), replay=again(Blame(kind="weights"))))
    assert found.name == "exploding-gradients"
    assert "the updates grew dense/kernel to 3e+20" in found.message


def test_a_constant_is_told_with_its_value() -> None:
    found = cause(bad_step(replay=again(Blame(kind="constant", name="mask", values=["inf"]))))
    assert (found.name, found.certainty) == ("nonfinite-constant", "certain")
    assert "a constant in the step is inf" in found.message


def test_half_precision_is_told_with_its_type() -> None:
    bad = op("Square", "300", output=numbers(0, 1, dtype="float16"))
    found = cause(bad_step(replay=again(Blame(kind="precision"), bad)))
    assert found.name == "half-precision-overflow"
    assert "square(300) in layer badlog overflows float16, but is finite in float32" in found.message


def test_a_metric_alone_is_told_and_is_never_the_reason_of_an_end() -> None:
    step = captured(Suspect(role="metric", name="f1", numbers=numbers(1)))
    assert cause(bad_step(step=step)).name == "nonfinite-metric"
    case = bad_step(step=step, exit_code=1, after=[raised("ValueError", "nan")])
    found = diagnose(case.recording, case=case)
    assert found.cause is not None
    assert found.cause.name == "uncaught-exception"
    assert [finding.name for finding in found.findings] == ["uncaught-exception", "nonfinite-metric"]


def test_a_loss_scale_at_its_floor() -> None:
    found = cause(case_of(process=[norms(1.0, moment="end", scale=1.0)], exit_code=0))
    assert found.name == "loss-scale-floor"
    case = case_of(process=[norms(1.0, moment="end", scale=2.0**14)], exit_code=0)
    assert diagnose(case.recording, case=case).findings == []


def test_a_divergence_that_ended_before_it_overflowed() -> None:
    totals = [10.0**power for power in range(0, 24, 2)]
    found = cause(case_of(process=[norms(*totals, moment="end")], exit_code=0))
    assert (found.name, found.certainty) == ("exploding-gradients", "likely")
    mild = case_of(process=[norms(*[2.0**power for power in range(9)], moment="end")], exit_code=0)
    assert diagnose(mild.recording, case=mild).findings == []


def test_a_healthy_run_gets_none_of_them() -> None:
    case = case_of(process=[norms(1.0, 0.9, 0.8, moment="end", learning_rate=0.01)], exit_code=0)
    assert diagnose(case.recording, case=case).findings == []


def test_each_step_is_told_by_one_rule() -> None:
    replays = [None, again(rows(3)), again(nan_rows()), again(Blame(kind="weight")), again(Blame(kind="constant"))]
    for replay in replays:
        case = bad_step(replay=replay)
        told = [rule.name for rule in RULES if rule.family == "NUM" and rule.role == "cause" and rule.check(case)]
        assert len(told) == 1, told


def test_a_batch_that_is_bad_as_a_whole_is_told_by_its_values() -> None:
    zeros = rows(*range(32), name="y", values=["0"])
    assert "caused by y, which is 0 in every row of the batch (32)" in cause(bad_step(replay=again(zeros))).message
    pixels = fed(numbers=numbers(shape=(32, 8), least=0.0, greatest=255.0))
    found = cause(bad_step(capture=given(pixels), replay=again(rows(*range(32), values=["0 to 255"]))))
    assert found.message.endswith("caused by x as a whole (0 to 255)")
    assert found.advice[0] == "Scale x to around 1: it reaches 255 here."


def test_a_product_that_overflows_is_no_matter_of_a_domain() -> None:
    large = OpInput(origin="op", name="state", numbers=numbers(shape=(32, 4), least=0.0, greatest=3e38))
    found = cause(bad_step(replay=again(rows(3), op("MatMul", inputs=[large]))))
    assert "MatMul of values up to 3e+38 in layer badlog" in found.message
    assert "too large for its type" in found.advice[0]


def test_the_mean_of_nothing_is_told_as_such() -> None:
    nothing = OpInput(origin="op", name="kept", numbers=numbers(shape=(0,)))
    found = cause(bad_step(replay=again(rows(3), op("Mean", inputs=[nothing]))))
    assert "the mean of no values" in found.message
    assert "divide_no_nan" in found.advice[0]


@pytest.mark.parametrize(
    ("greatest", "words"), [(0.2, "with other values in dense/kernel"), (50.0, "the weights cause")]
)
def test_ordinary_weights_are_not_out_of_bounds(greatest: float, words: str) -> None:
    held = weight(numbers=numbers(shape=(8, 4), least=0.0, greatest=greatest))
    blame = Blame(kind="weights", name="dense/kernel", tried=True)
    found = cause(bad_step(step=captured(step=0), capture=given(fed(), held), replay=again(blame)))
    assert words in found.message


def infinite(dtype: str = "float16") -> OpInput:
    return OpInput(origin="constant", name="mul/y", numbers=numbers(0, 1, dtype=dtype), at_bad=["-inf"])


def test_a_number_beyond_half_precision_is_told_as_it_is_written() -> None:
    source = "\n" * 5 + "scores += mask * -1e9\n" + "\n" * 3 + "model.fit(x, y)\n"
    blame = Blame(kind="constant", name="mul/y", values=["-inf"], tried=True)
    found = cause(bad_step(replay=again(blame, op("Mul", inputs=[infinite()])), source=source))
    assert "-1e9 is -inf in float16, whose largest number is 65,504" in found.message
    assert "-1e9" not in found.advice[0]
    wide = cause(bad_step(replay=again(blame, op("Mul", inputs=[infinite("float32")])), source=source))
    assert "a constant in the step is -inf" in wide.message


def test_a_value_that_a_layer_keeps_has_its_name() -> None:
    held = fed(name="normalization.mean", role="other", rows=[], data_set="")
    blame = Blame(kind="constant", name="normalization.mean", values=["nan"], tried=True)
    found = cause(bad_step(capture=given(held), replay=again(blame, op("Sub", inputs=[]))))
    assert "the value normalization.mean used by the step is NaN" in found.message
    assert found.culprit is not None
    assert found.culprit.name == "normalization.mean"


def test_only_an_array_is_asked_whether_it_is_finite() -> None:
    source = "\n" * 9 + "model.fit(Pictures(files, 4))\n"
    found = cause(bad_step(capture=given(fed(1, rows=[], data_set="")), replay=again(nan_rows()), source=source))
    assert found.advice == [
        "Fix or drop these rows, or fix what produces them: `np.isfinite(batch).all()` for each batch finds them."
    ]


def test_what_numpy_warned_of_has_its_remedy() -> None:
    found = cause(
        bad_step(warning("invalid value encountered in scalar divide"), capture=given(fed(1)), replay=again(nan_rows()))
    )
    assert "which `divide` produced here" in found.message
    assert found.advice[0].startswith("Guard the division")


def test_a_schedule_that_raised_the_rate_is_the_line() -> None:
    source = SOURCE.replace("bad = model.layers[0]", "rate = ExponentialDecay(0.01, 5, 1.5)").replace("=10.0", "=rate")
    seen = norms(
        1.0, 1e2, 1e4, 1e6, learning_rate=0.8, first_learning_rate=0.01, optimizer_made=user_frame(OPTIMIZER_LINE)
    )
    found = cause(bad_step(seen, replay=again(), source=source))
    assert (found.name, line_of(found)) == ("exploding-gradients", 6)
    assert "its schedule had raised from 0.01 to 0.8" in found.message
    fixed = msgspec.structs.replace(seen, first_learning_rate=0.8)
    assert line_of(cause(bad_step(fixed, replay=again(), source=source))) == OPTIMIZER_LINE


def test_the_chain_calls_an_array_what_the_source_calls_it() -> None:
    source = "\n" * 9 + "model.fit(readings, y)\n"
    chain = [Link(kind="data", words="row 3 of the batch (row 1500 of x), column 2")]
    found = cause(bad_step(replay=again(rows(3, data_set="x"), chain=chain), source=source))
    assert found.chain[0].words == "row 3 of the batch (row 1500 of readings), column 2"


def test_a_validation_is_told_as_one() -> None:
    call = CallBegan(call=2, kind="evaluate", frames=[user_frame(FIT_LINE)], parent_call=1)
    found = cause(bad_step(call, step=captured(call=2, step=0), replay=again(rows(3))))
    assert "at step 0 of validation" in found.message


def test_a_guard_whose_result_is_thrown_away_is_the_cause() -> None:
    source = SOURCE.replace("bad = model.layers[0]", "bad = tf.math.log(raw)").replace(
        'y = np.load("y.npy")', "tf.clip_by_value(raw, 1e-7, 1.0)"
    )
    found = nonfinite_from_op.check(bad_step(replay=again(rows(3)), source=source))
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (5, "likely")
    assert "which nothing uses: `raw` stays as it is" in found.message
    assert found.advice[0] == "Assign what it gives: `raw = tf.clip_by_value(raw, 1e-07, 1.0)`."
    assert found.changes[0].kind == "assign"
    used = source.replace("tf.clip_by_value(raw", "raw = tf.clip_by_value(raw")
    other = nonfinite_from_op.check(bad_step(replay=again(rows(3)), source=used))
    assert other is not None
    assert other.location is not None
    assert other.location.line == 6


MASKED = """
class Encoder(keras.Model):
    def call(self, clips):
        present = tf.math.is_finite(clips)
        return self.head(clips)
"""


def _padded(source: str) -> Finding:
    """As the rule gives it: the engine keeps changes elsewhere."""
    blame = rows(*range(30), kind="data", values=["nan"])
    replay = again(blame, chain=[Link(kind="data", words="x has NaN")])
    case = bad_step(replay=replay, capture=given(fed(60), weight()), source=source)
    assert cause(case).name == "nonfinite-in-data"
    found = nonfinite_in_data.check(case)
    assert found is not None
    return found


def test_gaps_in_most_rows_are_not_dropped() -> None:
    found = _padded(SOURCE)
    assert "30 of the 32 rows of the batch have such values, too many to drop" in found.advice[-1]
    assert all("Leave out" not in change.title for change in found.changes)


def test_a_mask_that_multiplies_does_not_take_gaps_out() -> None:
    found = _padded(SOURCE + MASKED)
    code = "clips = tf.where(tf.math.is_finite(clips), clips, 0.0)"
    assert (
        f"only multiplies these values, and 0 * NaN is NaN: put a number in their place below it, `{code}`"
        in (found.advice[-1])
    )
    assert [edit.text.strip() for change in found.changes for edit in change.edits] == [code]


def test_a_masking_layer_for_nan_masks_nothing() -> None:
    found = _padded(SOURCE + "model.add(keras.layers.Masking(mask_value=np.nan))\n")
    assert "masks nothing, as NaN does not equal NaN" in found.advice[-1]
