"""Sessions, graphs and tapes: the changes that the advice names."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.patches_of import patches_of
from tests.unit.diagnose.rules.graphs.test_session_rules import (
    BLANK,
    FOREIGN,
    TAKEN,
    TWICE,
    case,
    line,
    restored,
    taken,
)
from whydied.diagnose.rules.graphs import (
    checkpoint_mismatch,
    graph_built_twice,
    no_gradient,
    other_graph,
    uninitialised_variable,
)
from whydied.records import Assigning, Blank, Fetched, GraphNode, SessionFacts, Unsaved

SOURCE = """import tensorflow.compat.v1 as tf
init = tf.global_variables_initializer()
count = tf.get_variable("count", [])
sess = tf.Session()
sess.run(init)
for step in range(3):
    sess.run(count)
"""


def _blank(kinds: list[str], *runs: Assigning) -> SessionFacts:
    node = GraphNode(name="count", op="VariableV2", text="count", made=[line(3)])
    return SessionFacts(session="sess", opened=line(4), blank=Blank(node=node, collections=kinds, runs=list(runs)))


@pytest.mark.parametrize(
    ("facts", "lines"),
    [
        (_blank(["variables"]), ["+sess.run(tf.global_variables_initializer())"]),
        (
            _blank(["local_variables"], Assigning(node="init", frame=line(5), variables=2)),
            ["+sess.run(tf.local_variables_initializer())"],
        ),
        (
            _blank(["variables"], Assigning(node="init", frame=line(5), made=line(2), older=True)),
            ["-init = tf.global_variables_initializer()", "+init = tf.global_variables_initializer()"],
        ),
        (
            _blank(["variables"], Assigning(node="init", frame=line(5), made=line(2), variables=3)),
            ["+sess.run(count.initializer)"],
        ),
    ],
)
def test_a_variable_gets_its_value(facts: SessionFacts, lines: list[str]) -> None:
    made = case(BLANK, facts, source=SOURCE, kind="FailedPreconditionError", number=7)
    found = uninitialised_variable.check(made)
    patches = patches_of(made, found)
    assert sorted(patches[0]) == sorted(lines)


def test_an_initialiser_that_came_too_early_is_moved_or_run_once_more() -> None:
    early = Assigning(node="init", frame=line(5), made=line(2), older=True)
    made = case(BLANK, _blank(["variables"], early), source=SOURCE, kind="FailedPreconditionError", number=7)
    again = ["+sess.run(tf.global_variables_initializer())"]
    assert [again == patch for patch in patches_of(made, uninitialised_variable.check(made))] == [False, True]
    # The session comes from elsewhere, and the early initialiser runs where the failing line is.
    facts = SessionFacts(session="sess", opened=line(4, "main"), blank=_blank(["variables"], early).blank)
    made = case(BLANK, facts, source=SOURCE, kind="FailedPreconditionError", number=7)
    assert again in patches_of(made, uninitialised_variable.check(made))


def test_a_function_that_gets_its_session_does_not_begin_anew_each_time() -> None:
    facts = SessionFacts(session="sess", opened=line(4, "main"), blank=_blank(["variables"]).blank)
    made = case(BLANK, facts, source=SOURCE, kind="FailedPreconditionError", number=7)
    assert patches_of(made, uninitialised_variable.check(made)) == []


def test_graph_and_session_come_together() -> None:
    source = "import tensorflow.compat.v1 as tf\ny = tf.zeros(3)\ntf.reset_default_graph()\nsess = tf.Session()\n"
    node = GraphNode(name="y", op="Const", made=[line(2)])
    fetched = [Fetched(text="y", node=node, foreign=True)]
    reset = case(FOREIGN, SessionFacts(session="sess", opened=line(4), fetches=fetched), source=source)
    assert patches_of(reset, other_graph.check(reset)) == [["+tf.reset_default_graph()", "-tf.reset_default_graph()"]]
    plain = source.replace("tf.reset_default_graph()", "print(y)")
    other = case(FOREIGN, SessionFacts(session="sess", opened=line(4), graph="g", fetches=fetched), source=plain)
    assert patches_of(other, other_graph.check(other)) == [["-sess = tf.Session()", "+sess = tf.Session(graph=g)"]]


def test_a_second_build_begins_with_an_empty_graph() -> None:
    again = case(TAKEN, taken(runs=9), source=TWICE)
    assert patches_of(again, graph_built_twice.check(again)) == [["+tf.compat.v1.reset_default_graph()"]]
    inside = case(
        TAKEN, taken(runs=9), source=TWICE.replace("\nbuild()\nbuild()", "build()\nwith tf.Session():\n    build()")
    )
    assert patches_of(inside, graph_built_twice.check(inside)) == []
    shared = case(TAKEN, taken(runs=0), source=TWICE)
    assert patches_of(shared, graph_built_twice.check(shared)) == []


def test_the_names_of_a_checkpoint() -> None:
    text = 'net = build("player")'
    source = f"import tensorflow.compat.v1 as tf\nsaver = tf.train.Saver()\n\n\n{text}\n"
    node = GraphNode(name="player/w", op="VariableV2", made=[line(5, source=text)])
    facts = restored(Unsaved(node=node, near=["q/w"]))
    made = case("Key player/w not found in checkpoint", facts, source=source, kind="NotFoundError")
    names = '{v.op.name.replace("player/", "q/", 1): v for v in tf.global_variables()}'
    assert patches_of(made, checkpoint_mismatch.check(made)) == [
        [f"-{text}", '+net = build("q")'],
        ["-saver = tf.train.Saver()", f"+saver = tf.train.Saver({names})"],
    ]


def test_a_constant_is_watched() -> None:
    source = (
        "x = tf.constant(3.0)\nwith tf.GradientTape() as tape:\n    y = x * x\ng = tape.gradient(y, x)\n"
        "optimizer.apply_gradients([(g, x)])\n"
    )
    made = case("No gradients provided for any variable.", source=source)
    assert patches_of(made, no_gradient.check(made)) == [["+    tape.watch(x)"]]
