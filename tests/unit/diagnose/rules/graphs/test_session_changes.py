"""Sessions, graphs and tapes: the changes that the advice names."""

from __future__ import annotations

import msgspec
import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
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
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.graphs import (
    checkpoint_mismatch,
    graph_built_twice,
    no_gradient,
    other_graph,
    uninitialised_variable,
)
from whydied.records import (
    Assigning,
    Blank,
    Fed,
    Fetched,
    Frame,
    GraphNode,
    Party,
    SessionFacts,
    Unsaved,
    VariableTaken,
)
from whydied.source.text import Source

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


KEPT = """import tensorflow.compat.v1 as tf
class Level:
    def __init__(self):
        self.mean = tf.Variable(0.0)
def main(path):
    level = Level()
    marks = tf.Variable([0, 0])
    saver = tf.train.Saver()
    with tf.Session() as sess:
        marks.initializer.run()
        saver.save(sess, path)
"""


def _kept(source: str = KEPT) -> tuple[Finding | None, list[list[str]]]:
    own = Assigning(node="marks/Assign", frame=line(10, "main"), made=line(7, "main"), variables=1)
    node = GraphNode(name="Variable", op="VariableV2", text="level.mean", made=[line(6, "main"), line(4, "__init__")])
    blank = Blank(node=node, collections=["variables"], runs=[own])
    facts = SessionFacts(call="save", session="sess", place=line(11, "main"), opened=line(9, "main"), blank=blank)

    made = case(BLANK, facts, source=source, kind="FailedPreconditionError", number=11)
    found = uninitialised_variable.check(made)
    return found, patches_of(made, found)


def test_a_saver_without_a_list_saves_what_was_not_initialised() -> None:
    found, patches = _kept()
    assert found is not None
    assert found.location is not None
    assert found.location.line == 10
    assert "and the saver of line 8 of train.py, which is given no list, saves all variables" in found.message
    assert patches == [
        ["-        marks.initializer.run()", "+        sess.run(tf.global_variables_initializer())"],
        ["-    saver = tf.train.Saver()", "+    saver = tf.train.Saver(var_list=[marks])"],
    ]


def test_what_a_checkpoint_gave_is_not_initialised_again() -> None:
    _, patches = _kept(KEPT.replace("        marks.init", "        saver.restore(sess, path); marks.init"))
    assert not any("global_variables_initializer" in line for patch in patches for line in patch)


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
    patches = patches_of(made, uninitialised_variable.check(made))
    # It is the line that opens the session below which it runs.
    assert patches == [["+sess.run(tf.global_variables_initializer())"]]


def test_the_session_is_not_what_is_run() -> None:
    for session, text in (
        ("sess", "sess.run(tf.global_variables_initializer())"),
        ("", "tf.global_variables_initializer().run()"),
    ):
        source = SOURCE.replace("sess.run(count)", "train_step.run(feed_dict={x: 1})")
        facts = SessionFacts(session=session, opened=line(4), blank=_blank(["variables"]).blank)
        made = case(BLANK, facts, source=source, kind="FailedPreconditionError", number=7)
        found = uninitialised_variable.check(made)
        assert patches_of(made, found) == [[f"+{text}"]]
        assert found is not None
        assert text in found.advice[0]


def test_the_copied_build_of_another_cell_begins_with_an_empty_graph() -> None:
    cells = {
        f"nb.ipynb/cell [{number}]": Source(
            "import tensorflow.compat.v1 as tf\n" * (number == 3)
            + f"rate = 0.{number}\nwith tf.name_scope('in'):\n    xs = tf.placeholder(tf.float32)\n"
            + "sess = tf.Session()\nsess.run(merged, {xs: 1})\n"
        )
        for number in (3, 4)
    }
    first, second = cells

    def node(name: str, file: str, number: int) -> GraphNode:
        at = Frame(file=file, line=number, function="<module>", user=True)
        return GraphNode(name=name, op="Placeholder", dtype="float32", made=[at])

    def told(op: str, name: str) -> list[list[str]]:
        merged = Fetched(text="merged", unfed=["in/x"], node=GraphNode(name="Merge", op=op))
        fed = Fed(text="xs", node=node(name, second, 3), value=Party(role="feed"))
        facts = SessionFacts(fetches=[merged], feeds=[fed], unfed=[node("in/x", first, 4)], place=line(5))
        made = case("You must feed a value for placeholder tensor 'in/x' with dtype float", facts)
        made.recording.sources.update(cells)
        found = graph_built_twice.check(made)
        return patches_of(made, found) if found is not None else []

    assert told("MergeSummary", "in_1/x") == [["+tf.reset_default_graph()"]]
    assert told("MergeSummary", "in_1/other") == []
    assert told("Add", "in_1/x") == []


def test_a_scope_that_both_builds_go_through_reuses_its_variables() -> None:
    source = 'def build():\n    with tf.variable_scope("net"):\n        tf.get_variable("w")\n\nbuild()\nbuild()\n'
    first = GraphNode(name="w", op="VariableV2", made=[line(5), line(3, "build")], shape=[3])
    facts = VariableTaken(first=first, runs=9)
    error = raised("ValueError", TAKEN)
    link = msgspec.structs.replace(error.chain[0], frames=[line(6), line(3, "build")])
    made = case_of(process=[facts, msgspec.structs.replace(error, chain=[link])], exit_code=1)
    made.recording.sources[FILE] = Source(source)
    scopes = [
        '-    with tf.variable_scope("net"):',
        '+    with tf.variable_scope("net", reuse=tf.compat.v1.AUTO_REUSE):',
    ]
    assert patches_of(made, graph_built_twice.check(made)) == [scopes, ["+tf.compat.v1.reset_default_graph()"]]
    # What begins anew is another model.
    made.recording.sources[FILE] = Source(f"{source}sess.run(tf.global_variables_initializer())\n")
    assert patches_of(made, graph_built_twice.check(made))[1] == scopes


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
    scope = "tf.compat.v1.variable_scope(tf.compat.v1.get_variable_scope(), reuse=tf.compat.v1.AUTO_REUSE)"
    reusing = ["-build()", f"+with {scope}:", "+    build()"]
    assert patches_of(again, graph_built_twice.check(again)) == [["+tf.compat.v1.reset_default_graph()"], reusing]
    inside = case(
        TAKEN, taken(runs=9), source=TWICE.replace("\nbuild()\nbuild()", "build()\nwith tf.Session():\n    build()")
    )
    assert [len(one) for one in patches_of(inside, graph_built_twice.check(inside))] == [3]
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


@pytest.mark.parametrize(
    ("source", "patch"),
    [
        ("saver.save(sess, 'b')", ["-{r}", "+tf.train.Saver(tf.trainable_variables()).restore(sess, 'a')"]),
        ("pass", ["-saver = tf.train.Saver()", "+saver = tf.train.Saver(tf.trainable_variables())"]),
        (
            "y = tf.layers.batch_normalization(x)",
            [
                "-saver = tf.train.Saver()",
                "+saver = tf.train.Saver([v for v in tf.global_variables() "
                'if not v.op.name.endswith(("/Adam", "beta1_power"))])',
            ],
        ),
    ],
)
def test_what_an_optimizer_keeps_is_not_restored(source: str, patch: list[str]) -> None:
    text = f"import tensorflow.compat.v1 as tf\nsaver = tf.train.Saver()\n{source}\n\nsaver.restore(sess, 'a')\n"
    writer = "\ndef before():\n    keep = tf.train.Saver(tf.trainable_variables())\n    keep.save(sess, 'a')\n"
    names = [GraphNode(name=name, op="VariableV2", made=[line(1)]) for name in ("beta1_power", "w/Adam")]
    facts = restored(*(Unsaved(node=node) for node in names))
    made = case("Key w/Adam not found in checkpoint", facts, source=text + writer, kind="NotFoundError")
    found = checkpoint_mismatch.check(made)
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (5, "likely")
    assert patches_of(made, found) == [[one.format(r="saver.restore(sess, 'a')") for one in patch]]
    head = Unsaved(node=GraphNode(name="head/w", op="VariableV2", made=[line(1)]))
    facts = restored(head, *(Unsaved(node=node) for node in names))
    other = checkpoint_mismatch.check(
        case("Key head/w not found in checkpoint", facts, source=text + writer, kind="NotFoundError")
    )
    assert other is not None
    assert "optimizer" not in other.message


def test_a_constant_is_watched() -> None:
    source = (
        "x = tf.constant(3.0)\nwith tf.GradientTape() as tape:\n    y = x * x\ng = tape.gradient(y, x)\n"
        "optimizer.apply_gradients([(g, x)])\n"
    )
    made = case("No gradients provided for any variable.", source=source)
    assert patches_of(made, no_gradient.check(made)) == [["+    tape.watch(x)"]]
