"""A variable that is fed in the run that writes it."""

from __future__ import annotations

from tests.unit.diagnose.case_of import FILE, case_of, raised
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.case import Case
from whydied.diagnose.rules.graphs import feed_mismatch
from whydied.records import Fed, Frame, GraphNode, Party, SessionFacts, SessionOpened
from whydied.source.text import Source

SAID = "Input 0 of node Assign was passed float from _arg_total_0_0:0 incompatible with expected float_ref."
SOURCE = """total = tf.Variable(0.0)
more = total.assign(x + 1)


sess.run(more, {x: 1.0, total: 0.0})
"""


def line(number: int) -> Frame:
    return Frame(file=FILE, line=number, function="<module>", user=True)


def died(writer: GraphNode | None) -> Case:
    total = GraphNode(name="Variable", op="VariableV2", text="total", shape=[], dtype="float32_ref", made=[line(1)])
    value = Party(role="feed", text="0.0", shape=[], type="float")
    feeds = [
        Fed(text="x", node=GraphNode(name="x", op="Placeholder", shape=[]), value=Party(role="feed", shape=[])),
        Fed(text="total", node=total, value=value, writer=writer, written=line(5)),
    ]
    facts = SessionFacts(session="sess", place=line(5), feeds=feeds)
    found = case_of(process=[SessionOpened(count=1, open=1), facts, raised("InvalidArgumentError", SAID)], exit_code=1)
    found.recording.sources[FILE] = Source(SOURCE)
    return found


def test_a_variable_that_the_run_writes_is_left_out_of_the_feed() -> None:
    case = died(GraphNode(name="Assign", op="Assign", text="more", made=[line(2)]))
    finding = feed_mismatch.check(case)
    assert finding is not None
    assert "`total` is a variable, fed in the run in which `more` (line 2 of train.py) writes it" in finding.message
    assert "`total.load(0.0, sess)`" in finding.advice[0]
    assert "+sess.run(more, {x: 1.0})" in patches_of(case, finding)[0]


def test_a_variable_that_the_run_only_reads_may_be_fed() -> None:
    assert feed_mismatch.check(died(None)) is None
