"""A tensor that a worker thread made in its own default graph."""

from __future__ import annotations

from tests.unit.diagnose.case_of import FILE, case_of, raised
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.case import Case
from whydied.diagnose.rules.graphs import other_graph
from whydied.records import Fetched, Frame, GraphNode, SessionFacts, SessionOpened
from whydied.source.text import Source

SAID = (
    'Argument `fetch` = Tensor("x:0", shape=()) cannot be interpreted as a Tensor. (Tensor Tensor("x:0", shape=()) is '
    "not an element of this graph.)"
)
GENERATOR = """sess = tf.Session()
def batches():
    data = tf.data.Dataset.from_tensor_slices(x).batch(8)
    source = tf.data.make_one_shot_iterator(data)
    while True:
        row = source.get_next()
        yield sess.run(row)
"""
FUNCTION = """sess = tf.Session()
def work(values):
    low = tf.reduce_min(values)
    print(sess.run(low))
"""
TURNS = """sess = tf.Session()
def batches():
    for at in range(9):
        row = tf.constant(x[at])
        yield sess.run(row)
"""


def line(number: int, function: str = "<module>") -> Frame:
    return Frame(file=FILE, line=number, function=function, user=True)


def died(source: str, number: int, *, in_thread: bool = True, graph: str = "") -> Case:
    function = "work" if "work" in source else "batches"
    node = GraphNode(name="Made", op="Min", made=[line(number, function)], in_thread=in_thread)
    facts = SessionFacts(
        session="sess",
        opened=line(1),
        place=line(number + 1, function),
        fetches=[Fetched(node=node, foreign=True)],
        graph=graph,
    )
    found = case_of(process=[SessionOpened(count=1, open=1), facts, raised("ValueError", SAID)], exit_code=1)
    found.recording.sources[FILE] = Source(source)
    return found


def test_what_a_generator_makes_is_made_before_its_loop() -> None:
    case = died(GENERATOR, 6)
    finding = other_graph.check(case)
    assert finding is not None
    assert finding.location is not None
    assert finding.location.line == 6
    assert "`row` is made by the generator `batches`, which runs in a worker thread" in finding.message
    assert "`return data` in `batches`" in finding.advice[0]
    added = [one for one in patches_of(case, finding)[0] if one.startswith("+")]
    assert added == [
        "+    with sess.graph.as_default():",
        "+        data = tf.data.Dataset.from_tensor_slices(x).batch(8)",
        "+        source = tf.data.make_one_shot_iterator(data)",
        "+        row = source.get_next()",
    ]


def test_what_differs_in_each_turn_is_not_moved() -> None:
    case = died(TURNS, 4)
    finding = other_graph.check(case)
    assert finding is not None
    assert "from a placeholder outside of `batches`" in finding.advice[0]
    assert finding.changes == []


def test_a_function_of_a_thread_enters_the_graph() -> None:
    case = died(FUNCTION, 3)
    finding = other_graph.check(case)
    assert finding is not None
    assert "+    with sess.graph.as_default():" in patches_of(case, finding)[0]


def test_a_tensor_of_the_main_thread_or_of_a_named_graph_is_not_told_so() -> None:
    for case in (died(FUNCTION, 3, in_thread=False), died(FUNCTION, 3, graph="g")):
        finding = other_graph.check(case)
        assert finding is not None
        assert "worker thread" not in finding.message
