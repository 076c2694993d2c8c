"""NUM020: an assertion that ended the program is named, and one that did not is not."""

from __future__ import annotations

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.engine import diagnose
from whydied.diagnose.rules.numerics.assertion_failed import check
from whydied.records import AssertionFailed, AssertionPlaced, Frame

HERE = [Frame(file=FILE, line=6, function="<module>", user=True)]
MADE = [Frame(file=FILE, line=3, function="<module>", user=True)]
HEAD = 'train.py:6 in step: assert_finite: `f("x")` (float32) expected every value finite; made by op Log; it'
SAID = (
    "Graph execution error:\n\nassertion failed: ["
    + HEAD.replace('"', '\\"')
    + "] [has] [{count}] [bad values of] [40] [; the first at] [{at}] [are] [nan nan]"
    + "\n\t [[{{{{node a/Assert}}}}]] [Op:f]"
)
PLACED = AssertionPlaced(
    check="assert_finite",
    name='f("x")',
    head=HEAD,
    expected="every value finite",
    source="made by op Log",
    frames=HERE,
    made=MADE,
)
FAILED = AssertionFailed(
    check="assert_range",
    name="pixels",
    message="train.py:6 in <module>: assert_range: `pixels` has 1 of 4 values outside; expected 0 to 1",
    expected="every value from 0 to 1",
    actual="1 of 4 values outside",
    frames=HERE,
    shape=[2, 2],
    dtype="float32",
    count=1,
    rows=[1],
    row_count=1,
)


def test_a_failed_assertion_is_named_with_its_rows() -> None:
    wrapped = f"Exception encountered when calling layer.\n\n{FAILED.message}\n\nArguments received: x"
    case = case_of(process=[FAILED, raised("CheckFailed", wrapped)], exit_code=1)
    found = check(case)
    assert found is not None
    assert (found.message, found.certainty) == (FAILED.message, "certain")
    assert found.location is not None
    # The statement that holds line 6.
    assert found.location.line == 6
    assert found.culprit is not None
    assert (found.culprit.name, found.culprit.shape) == ("pixels", [2, 2])
    assert found.culprit.rows is not None
    assert (found.culprit.rows.batch, found.culprit.rows.count) == ([1], 1)
    told = diagnose(case.recording)
    assert [finding.code for finding in told.findings] == ["NUM020", "PRC008"]


def test_one_in_a_graph_is_read_from_the_error() -> None:
    said = SAID.format(count=2, at="[3 0][3 1]")
    found = check(case_of(process=[PLACED, raised("InvalidArgumentError", said)], exit_code=1))
    assert found is not None
    assert found.message == f"{HEAD} has 2 bad values of 40; the first at [3 0][3 1] are nan nan"
    assert found.culprit is not None
    assert found.culprit.rows is not None
    assert (found.culprit.rows.batch, found.culprit.rows.count) == ([3], 1)
    assert found.advice == ["Look at where the tensor comes from: made by op Log."]


def test_rows_are_counted_only_where_all_positions_are_known() -> None:
    said = SAID.format(count=20, at="[3 0][4 1]")
    found = check(case_of(process=[PLACED, raised("InvalidArgumentError", said)], exit_code=1))
    assert found is not None
    assert found.culprit is not None
    assert found.culprit.rows is not None
    assert (found.culprit.rows.batch, found.culprit.rows.count) == ([3, 4], 0)


def test_an_assertion_that_was_caught_is_no_cause() -> None:
    assert check(case_of(process=[FAILED, PLACED], exit_code=0)) is None
    other = raised("InvalidArgumentError", "assertion failed: [one of the program's own] [3]")
    assert check(case_of(process=[FAILED, PLACED, other], exit_code=1)) is None
