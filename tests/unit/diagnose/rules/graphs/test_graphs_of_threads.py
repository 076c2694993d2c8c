"""Graphs of several threads: each has a default one of its own."""

from __future__ import annotations

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.case import Case
from whydied.diagnose.rules.graphs import (
    fetch_mismatch,
    other_graph,
)
from whydied.records import (
    Frame,
    GraphNode,
    GraphsMixed,
    OwnedTensor,
    Record,
    SessionOpened,
)
from whydied.source.edits.edit import edited
from whydied.source.text import Source


def line(number: int, function: str = "<module>", source: str = "") -> Frame:
    return Frame(file=FILE, line=number, function=function, user=True, source=source)


def case(message: str, *records: Record, source: str = "", kind: str = "ValueError", number: int = 5) -> Case:
    made = case_of(
        process=[SessionOpened(count=1, open=1), *records, raised(kind, message, number=number)], exit_code=1
    )
    if source:
        made.recording.sources[FILE] = Source(source)
    return made


TWO_GRAPHS = "Tensor(factor) must be from the same graph as Tensor(scores) (graphs are 1 and 2)."
THREADED = """\
class Scorer:
    def build(self):
        self.scores = tf.reduce_sum(self.rows, 1)
    def cooled(self, temperature):
        factor = tf.constant(temperature)
        return self.session.run(self.scores * factor)
"""


def owned(text: str, number: int, function: str, graph: str = "", in_thread: bool = False) -> OwnedTensor:
    node = GraphNode(name=text, op="Const", text=text, made=[line(number, function)])
    return OwnedTensor(node=node, graph=graph, in_thread=in_thread)


def test_a_thread_builds_in_a_graph_of_its_own() -> None:
    facts = GraphsMixed(
        place=line(6, "cooled"),
        in_thread=True,
        tensors=[
            owned("self.scores", 3, "build", "self.session.graph"),
            owned("factor", 5, "cooled", in_thread=True),
        ],
    )
    finding = other_graph.check(case(TWO_GRAPHS, facts, source=THREADED, number=6))
    assert finding is not None
    assert finding.location is not None
    assert (finding.certainty, finding.location.line) == ("certain", 5)
    assert "`factor` is made in a worker thread" in finding.message
    (change,) = finding.changes or []
    text = edited(Source(THREADED), change.edits) or ""
    assert "        with self.session.graph.as_default():\n            factor = tf.constant(temperature)\n" in text
    assert "            return self.session.run" in text


def test_two_graphs_of_one_thread_are_not_told_as_threads() -> None:
    facts = GraphsMixed(place=line(8), tensors=[owned("a", 5, "<module>", "g1"), owned("b", 7, "<module>", "g2")])
    finding = other_graph.check(case(TWO_GRAPHS, facts))
    assert finding is not None
    assert "thread" not in finding.message
    assert "is in graph `g1`" in finding.message


SERVED = """import tensorflow as tf
net = load()
def score(rows):
    return net.predict(rows)
"""


def test_a_model_of_the_main_thread_is_used_in_another_with_its_graph_and_session() -> None:
    facts = GraphsMixed(place=line(4, "score"), in_thread=True, tensors=[owned("out", 2, "<module>")])
    finding = other_graph.check(case("Tensor out is not an element of this graph.", facts, source=SERVED, number=4))
    assert finding is not None
    assert finding.message.startswith(
        "train.py:4: the model `net`, made on line 2 of train.py, is in the default graph of the main"
    )
    (change,) = finding.changes or []
    assert (edited(Source(SERVED), change.edits) or "").splitlines()[2:] == [
        "graph = tf.compat.v1.get_default_graph()",
        "session = tf.compat.v1.keras.backend.get_session()",
        "def score(rows):",
        "    with graph.as_default(), session.as_default():",
        "        return net.predict(rows)",
    ]


def test_a_model_that_is_used_where_it_was_made_is_not_told_as_of_another_thread() -> None:
    facts = GraphsMixed(place=line(4, "score"), tensors=[owned("out", 2, "<module>")])
    assert other_graph.check(case("is not an element of this graph.", facts, source=SERVED, number=4)) is None


def test_without_facts_of_the_graphs_nothing_is_said_of_them() -> None:
    assert other_graph.check(case(TWO_GRAPHS)) is None


SCORER = """import tensorflow.compat.v1 as tf

class Scorer:
    def __init__(self, path):
        self.session = tf.Session()
        self.model = load(path)

    def top(self, user):
        graph = tf.get_default_graph()
        place = graph.get_tensor_by_name("user:0")  # here
        return self.session.run(place)

    def score(self, rows):
        return self.model.predict(rows)[0]  # there
"""
NO_NAME = (
    "The name 'user:0' refers to a Tensor which does not exist. The operation, 'user', does not exist in the graph."
)
NO_INPUT = "Tensor input_1:0, specified in either feed_devices or fetch_devices was not found in the Graph"


def _of_scorer(kind: str, message: str, mark: str, text: str = SCORER) -> Case:
    line = next(at for at, one in enumerate(text.splitlines(), 1) if f"# {mark}" in one)
    case = case_of(exit_code=1, process=[raised(kind, message, number=line)])
    case.recording.sources[FILE] = case.recording.project[FILE] = Source(text)
    return case


def test_a_name_that_the_default_graph_of_a_thread_has_not() -> None:
    ((name, rival),) = fetch_mismatch.check_rivals(_of_scorer("KeyError", NO_NAME, "here"))
    assert (name, rival.certainty, rival.location and rival.location.line) == ("other-graph", "likely", 9)
    assert rival.advice == ["Write `self.session.graph` instead of `tf.get_default_graph()`."]
    own = SCORER.replace("tf.get_default_graph()", "self.session.graph")
    assert fetch_mismatch.check_rivals(_of_scorer("KeyError", NO_NAME, "here", own)) == []


def test_a_model_whose_input_the_session_of_a_thread_has_not() -> None:
    found = other_graph.check(_of_scorer("InvalidArgumentError", NO_INPUT, "there"))
    assert found is not None
    assert "the model `self.model` is in another graph than the default one of the thread" in found.message
    text = edited(Source(SCORER), found.changes[0].edits)
    assert text is not None
    assert "with self.graph.as_default(), self.model_session.as_default():" in text


def test_the_keras_that_tells_nobody_its_session_loads_in_one_of_the_program() -> None:
    legacy = SCORER.replace("as tf\n", "as tf\nimport tf_keras as keras\n", 1).replace("self.session", "self.ready")
    found = other_graph.check(_of_scorer("InvalidArgumentError", NO_INPUT, "there", legacy))
    assert found is not None
    text = edited(Source(legacy), found.changes[0].edits)
    assert text is not None
    assert (
        "        self.graph = tf.get_default_graph()\n"
        "        self.session = tf.Session(graph=self.graph)\n"
        "        with self.session.as_default():\n"
        "            self.model = load(path)\n"
    ) in text
