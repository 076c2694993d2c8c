"""What a session was asked and fed, with the facts that are recorded when it fails: candidates that were tried."""

from __future__ import annotations

import msgspec
import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.case import Case
from whydied.diagnose.rules.graphs import (
    checkpoint_mismatch,
    feed_mismatch,
    fetch_mismatch,
    graph_built_twice,
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
    GraphTried,
    Party,
    Record,
    SessionFacts,
    SessionOpened,
    Unsaved,
    ValueSource,
    VariableTaken,
)
from whydied.source.edits.edit import edited
from whydied.source.text import Source

SHAPE = "Cannot feed value of shape (1,) for Tensor y:0, which has shape (None, 6)"
KEY = "Cannot interpret feed_dict key as Tensor: Can not convert a int64 into a Tensor."
NOT_FED = "You must feed a value for placeholder tensor 'valid' with dtype float"
BLANK = "Attempting to use uninitialized value count"


def line(number: int, function: str = "<module>", source: str = "") -> Frame:
    return Frame(file=FILE, line=number, function=function, user=True, source=source)


def case(message: str, *records: Record, source: str = "", kind: str = "ValueError", number: int = 5) -> Case:
    made = case_of(
        process=[SessionOpened(count=1, open=1), *records, raised(kind, message, number=number)], exit_code=1
    )
    if source:
        made.recording.sources[FILE] = Source(source)
    return made


def placeholder(name: str, *shape: int | None, number: int = 2) -> GraphNode:
    return GraphNode(name=name, op="Placeholder", text=name, shape=list(shape), dtype="float32", made=[line(number)])


def fed(wanted: list[int | None], came: list[int | None], **value: object) -> SessionFacts:
    party = Party(role="feed", text="rows", type="numpy.ndarray", shape=came, **value)  # type: ignore[arg-type]
    return SessionFacts(feeds=[Fed(text="y", node=placeholder("y", *wanted), value=party)])


@pytest.mark.parametrize(
    ("wanted", "came", "value", "advice"),
    [
        ([None, 6], [10, 1], {"lowest": 0, "highest": 5, "dtype": "float32"}, "`np.eye(6)[rows[..., 0].astype(int)]`"),
        ([None, 6], [10], {"lowest": 0, "highest": 5, "dtype": "int64"}, "`np.eye(6)[rows]`"),
        ([None, 6], [10], {"lowest": 1, "highest": 6, "dtype": "int64"}, "`np.eye(6)[rows - 1]`"),
        ([None], [10, 6], {"one_hot": True}, "`np.argmax(rows, axis=-1)`"),
        ([None, 8], [8], {}, "feed `rows[None]`"),
        ([None, 8, 1], [20, 8], {}, "feed `rows[..., None]`"),
        ([None, 8], [20, 8, 1], {}, "feed `rows[..., 0]`"),
        ([None, 784], [20, 28, 28], {}, "feed `rows.reshape(-1, 784)`, which keeps its 20 rows"),
        ([None, 8], [8, 20], {}, "feed `rows.T`"),
        ([None, 32, 32, 3], [5, 3, 32, 32], {}, "feed `np.transpose(rows, [0, 2, 3, 1])`"),
        ([32, 8], [20, 8], {}, "declare its first axis as `None`"),
        ([None, 60, 12], [20, 90, 12], {}, "declare `y` on line 2 of train.py with shape `[None, 90, 12]`"),
    ],
)
def test_a_change_is_offered_that_fits(
    wanted: list[int | None], came: list[int | None], value: dict[str, object], advice: str
) -> None:
    finding = feed_mismatch.check(case(SHAPE, fed(wanted, came, **value)))
    assert finding is not None
    assert advice in finding.advice[0]


@pytest.mark.parametrize(
    ("wanted", "came", "value", "written"),
    [
        ([None, 8], [8], {}, "sess.run(z, {y: rows[None]})"),
        ([None, 784], [20, 28, 28], {}, "sess.run(z, {y: rows.reshape(-1, 784)})"),
        ([None, 8], [8], {"type": "list"}, "sess.run(z, {y: np.asarray(rows)[None]})"),
        ([32, 8], [20, 8], {}, "y = tf.placeholder(tf.float32, [None, 8])"),
        ([32, 8], [32, 9], {}, "y = tf.placeholder(tf.float32, [32, 9])"),
        ([None, 6], [10, 7, 7], {}, None),
    ],
)
def test_the_change_is_written_into_the_feed_or_the_placeholder(
    wanted: list[int | None], came: list[int | None], value: dict[str, object], written: str | None
) -> None:
    source = Source("import numpy as np\ny = tf.placeholder(tf.float32, [32, 8])\n\n\nsess.run(z, {y: rows})\n")
    facts = fed(wanted, came)
    party = msgspec.structs.replace(facts.feeds[0].value, **value)
    facts = SessionFacts(feeds=[msgspec.structs.replace(facts.feeds[0], value=party)], place=line(5))
    made = case(SHAPE, facts, source="\n".join(source.lines))
    finding = feed_mismatch.check(made)
    assert finding is not None
    lines = [(edited(source, one.edits) or "").splitlines() for one in finding.changes or []]
    assert bool(lines) == (written is not None)
    assert written is None or written in lines[0]


def test_a_batch_of_one_class_is_known_by_the_whole_array() -> None:
    zeros = {"lowest": 0, "highest": 0, "dtype": "int64"}
    finding = feed_mismatch.check(case(SHAPE, fed([None, 6], [10, 1], whole=[0, 5], **zeros)))
    assert finding is not None
    assert "`np.eye(6)[rows[..., 0]]`" in finding.advice[0]
    finding = feed_mismatch.check(case(SHAPE, fed([None, 6], [10, 1], whole=[0, 6], **zeros)))
    assert finding is not None
    assert "np.eye" not in "".join(finding.advice)


def test_a_placeholder_is_not_declared_for_data_that_would_only_broadcast() -> None:
    source = "import numpy as np\ny = tf.placeholder(tf.float32, [None, 6])\n\n\nsess.run(z, {y: rows})\n"
    facts = fed([None, 6], [10, 1])
    crossed = GraphNode(name="loss", op="Sub", made=[line(3)])
    told = [
        feed_mismatch.check(case(SHAPE, facts, GraphTried(fits=True, crossed=one), source=source))
        for one in (None, crossed)
    ]
    assert told[0] is not None
    assert [one.title for one in told[0].changes or []] == [
        "Declare `y` on line 2 of train.py with shape `[None, 1]`, which the ops behind it take"
    ]
    assert told[1] is not None
    assert told[1].changes == []
    assert "Sub on line 3 of train.py would only broadcast it" in told[1].advice[0]


def test_class_numbers_beyond_the_columns_are_not_made_one_hot() -> None:
    finding = feed_mismatch.check(case(SHAPE, fed([None, 6], [10, 1], lowest=0, highest=9)))
    assert finding is not None
    assert "np.eye" not in "".join(finding.advice)


def test_all_bad_entries_are_told() -> None:
    facts = fed([None, 8], [8])
    more = Fed(text="x", node=placeholder("x", None, 3), value=Party(role="feed", text="one", shape=[3]))
    good = Fed(text="z", node=placeholder("z", None), value=Party(role="feed", text="two", shape=[3]))
    finding = feed_mismatch.check(case(SHAPE, SessionFacts(feeds=[*facts.feeds, more, good])))
    assert finding is not None
    assert "`rows` of shape (8,)" in finding.message
    assert "`one` of shape (3,)" in finding.message
    assert "two" not in finding.message


def test_a_loop_that_takes_the_name_of_a_placeholder() -> None:
    source = "x = tf.placeholder(tf.float32)\nfor x in range(3):\n    print(x)\n\nsess.run(y, {x: 1})\n"
    facts = SessionFacts(feeds=[Fed(text="x", type="int", value=Party(role="feed"), written=line(5))])
    finding = feed_mismatch.check(case(KEY, facts, source=source))
    assert finding is not None
    assert finding.location is not None
    assert finding.location.line == 2
    assert finding.advice == ["Use another name than `x` on line 2 of train.py."]


def test_a_key_that_was_bound_once_blames_no_line() -> None:
    source = "x = 5\n\n\n\nsess.run(y, {x: 1})\n"
    facts = SessionFacts(feeds=[Fed(text="x", type="int", value=Party(role="feed"), written=line(5))])
    finding = feed_mismatch.check(case(KEY, facts, source=source))
    assert finding is not None
    assert finding.message == "train.py:5: key `x` of the feed is an int, not a tensor; expected the placeholder"


def test_something_to_fetch_in_the_feed() -> None:
    tensor = GraphNode(name="joined", op="AddN", text="net.joined")
    entry = Fed(text="'scaffold'", type="str", value=Party(role="feed", text="net.joined"), tensor=tensor)
    finding = feed_mismatch.check(case(KEY, SessionFacts(feeds=[entry])))
    assert finding is not None
    assert finding.advice == ["`net.joined` is a result: move the entry from the feed to what is fetched."]


def test_a_name_like_a_placeholder() -> None:
    entry = Fed(text="'imput:0'", type="str", value=Party(role="feed", text="x"), near=["input"])
    finding = feed_mismatch.check(case(KEY, SessionFacts(feeds=[entry])))
    assert finding is not None
    assert finding.advice == ['Did you mean `"input:0"`?']


def test_tensors_are_fed() -> None:
    text = 'The value of a feed cannot be a tf.Tensor object. It was passed with key Tensor("y:0").'
    tensor = GraphNode(name="Const", op="Const", made=[line(3)])
    entry = Fed(text="y", node=placeholder("y", None), value=Party(role="feed", text="left"), tensor=tensor)
    finding = feed_mismatch.check(case(text, SessionFacts(feeds=[entry])))
    assert finding is not None
    assert finding.location is not None
    assert finding.location.line == 3
    assert "leave out the `constant` call on line 3 of train.py" in finding.advice[0]


def test_rows_of_several_lengths() -> None:
    value = Party(role="feed", text="rows", shape=[3], shortest=2, longest=7)
    facts = SessionFacts(feeds=[Fed(text="y", node=placeholder("y", None, 5), value=value)])
    text = "setting an array element with a sequence."
    finding = feed_mismatch.check(case(text, facts))
    assert finding is not None
    assert finding.advice == ["Pad or cut each row to 5 items before it is fed."]
    assert feed_mismatch.check(case(text)) is None


def unfed(*fetches: Fetched) -> SessionFacts:
    return SessionFacts(fetches=list(fetches), unfed=[placeholder("valid")], place=line(5))


def test_a_merged_summary_that_needs_more_than_is_fed() -> None:
    part = GraphNode(name="train", op="ScalarSummary", text="train_summary")
    finding = feed_mismatch.check(case(NOT_FED, unfed(Fetched(text="merged", unfed=["valid"], free=[part]))))
    assert finding is not None
    assert "`merged` needs it" in finding.message
    assert finding.advice == [
        "`merged` merges all summaries of the graph. Fetch `train_summary` instead: what is fed here is all that it "
        "needs.",
        "Or add `valid: …` to the `feed_dict` of this line.",
    ]


def test_what_is_fetched_instead_of_a_merged_summary_is_written() -> None:
    parts = [GraphNode(name=name, op="ScalarSummary", text=name) for name in ("a", "b")]
    merged = Fetched(text="merged", unfed=["valid"], free=parts)
    facts = SessionFacts(fetches=[merged], unfed=[placeholder("valid")], place=line(1))
    source = Source("sess.run(merged, {x: 1})")
    finding = feed_mismatch.check(case(NOT_FED, facts, source=source.lines[0], number=1))
    assert finding is not None
    (change,) = finding.changes or []
    assert edited(source, change.edits) == "sess.run([a, b], {x: 1})"


def test_the_fetches_that_do_without_a_placeholder() -> None:
    finding = feed_mismatch.check(case(NOT_FED, unfed(Fetched(text="loss", unfed=["valid"]), Fetched(text="logits"))))
    assert finding is not None
    assert "leave `loss` out of this run; `logits` does without it" in finding.advice[0]


def test_an_optimizer_is_fetched() -> None:
    text = 'Argument `fetch` = <AdamOptimizer object at 0x1> has invalid type "AdamOptimizer"'
    source = ValueSource(kind="variable", name="step", text="tf.train.AdamOptimizer(0.1)", frame=line(2))
    facts = SessionFacts(fetches=[Fetched(text="step", type="tensorflow.AdamOptimizer", sources=[source])])
    finding = fetch_mismatch.check(case(text, facts))
    assert finding is not None
    assert finding.location is not None
    assert finding.location.line == 2
    assert "`tf.train.AdamOptimizer(0.1).minimize(…)` on line 2 of train.py" in finding.advice[0]


def test_no_summary_to_merge() -> None:
    source = "merged = tf.summary.merge_all()\n\n\n\nsess.run(merged)\n"
    text = 'Argument `fetch` = None has invalid type "NoneType". Cannot be None'
    facts = SessionFacts(fetches=[Fetched(text="merged", type="NoneType")])
    finding = fetch_mismatch.check(case(text, facts, source=source))
    assert finding is not None
    assert finding.location is not None
    assert finding.location.line == 1
    assert "`merge_all` found no summary" in finding.message


def blank(collections: list[str], *runs: Assigning) -> SessionFacts:
    node = GraphNode(name="count", op="VariableV2", text="count", made=[line(4)])
    return SessionFacts(session="sess", blank=Blank(node=node, collections=collections, runs=list(runs)))


@pytest.mark.parametrize(
    ("facts", "message", "advice"),
    [
        (blank(["variables"]), "nothing was initialised", "sess.run(tf.compat.v1.global_variables_initializer())"),
        (
            blank(["local_variables"], Assigning(node="init", frame=line(3), variables=2)),
            "is in the collection `local_variables`",
            "sess.run(tf.compat.v1.local_variables_initializer())",
        ),
        (
            blank(["variables"], Assigning(node="init", frame=line(3), older=True)),
            "is created on line 4 of train.py, after the initialiser on line 3",
            "Move the initialiser below line 4",
        ),
        (
            blank(["variables"], Assigning(node="init", frame=line(3), made=line(2), variables=3)),
            "which is for 3 other variables",
            "Add `count` to the variables of line 2",
        ),
        (
            blank(["variables"], Assigning(node="init", frame=line(3), here=False, covers=True, variables=3)),
            "was initialised in another session (line 3 of train.py)",
            "Use the session that was initialised",
        ),
        (
            blank(["variables"], Assigning(node="init", failed=True, covers=True, variables=3)),
            "is read by the initial value of another variable",
            "`count.initialized_value()`",
        ),
    ],
)
@pytest.mark.parametrize("said", [BLANK, "Resource localhost/scope/count/N10tensorflow3VarE does not exist."])
def test_why_a_variable_has_no_value(facts: SessionFacts, message: str, advice: str, said: str) -> None:
    finding = uninitialised_variable.check(case(said, facts, kind="FailedPreconditionError"))
    assert finding is not None
    assert message in finding.message
    assert advice in finding.advice[0]


FOREIGN = "Argument `fetch` = y cannot be interpreted as a Tensor. (Tensor y is not an element of this graph.)"


@pytest.mark.parametrize("message", [FOREIGN, "The Session graph is empty. Add operations to the graph before run()."])
def test_a_session_of_another_graph_is_opened_with_that_graph(message: str) -> None:
    node = GraphNode(name="y", op="Add", made=[line(2)])
    facts = SessionFacts(
        session="sess", opened=line(3), graph="g", fetches=[Fetched(text="y", node=node, foreign=True)]
    )
    finding = other_graph.check(case(message, facts))
    assert finding is not None
    assert finding.location is not None
    assert finding.location.line == 3
    assert "`tf.compat.v1.Session(graph=g)`" in finding.advice[0]


def test_a_reset_between_model_and_session() -> None:
    source = (
        "import tensorflow.compat.v1 as tf\ny = tf.zeros(3)\ntf.reset_default_graph()\nsess = tf.Session()\nsess.run(y)"
    )
    node = GraphNode(name="y", op="Const", made=[line(2)])
    facts = SessionFacts(session="sess", opened=line(4), fetches=[Fetched(text="y", node=node, foreign=True)])
    finding = other_graph.check(case(FOREIGN, facts, source=source))
    assert finding is not None
    assert finding.location is not None
    assert finding.location.line == 3
    assert finding.advice == ["Move line 3 of train.py above line 2 of train.py: the graph is built after the reset."]


def test_a_key_of_no_graph_is_not_another_graph() -> None:
    assert other_graph.check(case(KEY, SessionFacts(feeds=[Fed(text="x", value=Party(role="feed"))]))) is None


TAKEN = "Variable w already exists, disallowed. Did you mean to set reuse=True?"
TWICE = "def build():\n    tf.get_variable('w')\n\nbuild()\nbuild()\n"


def taken(runs: int) -> VariableTaken:
    first = GraphNode(name="w", op="VariableV2", made=[line(4), line(2, "build")], shape=[3])
    return VariableTaken(first=first, shape=[3], runs=runs)


def test_a_model_that_is_built_again_after_it_ran() -> None:
    finding = graph_built_twice.check(case(TAKEN, taken(runs=9), source=TWICE))
    assert finding is not None
    assert finding.location is not None
    assert finding.location.line == 5
    assert finding.advice == [
        "Call `tf.compat.v1.reset_default_graph()` right before line 5 of train.py, so that it starts from an empty "
        "graph.",
        "If it is to use the variables that are there: `with tf.compat.v1.variable_scope(…, "
        "reuse=tf.compat.v1.AUTO_REUSE):`.",
    ]


def test_two_parts_of_one_model_share_or_have_scopes() -> None:
    finding = graph_built_twice.check(case(TAKEN, taken(runs=0), source=TWICE))
    assert finding is not None
    assert "AUTO_REUSE" in finding.advice[0]
    assert "reset" not in "".join(finding.advice)


def restored(*unsaved: Unsaved) -> SessionFacts:
    return SessionFacts(call="restore", variables=4, stored=2, unsaved=list(unsaved))


def test_variables_that_were_made_twice_have_other_names() -> None:
    twin = GraphNode(name="v1", op="VariableV2", made=[line(4), line(2, "build")])
    node = GraphNode(name="v1_1", op="VariableV2", made=[line(5), line(2, "build")])
    facts = restored(Unsaved(node=node, near=["v1"], twin=twin))
    made = case("Key v1_1 not found in checkpoint", facts, source=TWICE, kind="NotFoundError")
    finding = graph_built_twice.check(made)
    assert finding is not None
    assert finding.location is not None
    assert finding.location.line == 5
    assert "`v1` is now called `v1_1`" in finding.message


def test_another_scope_than_that_of_the_checkpoint() -> None:
    node = GraphNode(name="player/w", op="VariableV2", made=[line(5, source='net = build("player")')])
    made = case(
        "Key player/w not found in checkpoint", restored(Unsaved(node=node, near=["q/w"])), kind="NotFoundError"
    )
    assert graph_built_twice.check(made) is None
    finding = checkpoint_mismatch.check(made)
    assert finding is not None
    assert finding.advice[0].startswith('Use the scope "q" instead of "player" on line 5 of train.py')


def test_variables_that_were_never_saved() -> None:
    node = GraphNode(name="w/Adam", op="VariableV2", made=[line(5)])
    made = case("Key w/Adam not found in checkpoint", restored(Unsaved(node=node)), kind="NotFoundError")
    finding = checkpoint_mismatch.check(made)
    assert finding is not None
    assert "1 of 4 variables of the saver are not in the checkpoint: `w/Adam`" in finding.message


def test_another_shape_than_that_of_the_checkpoint() -> None:
    node = GraphNode(name="w", op="VariableV2", shape=[3, 4], made=[line(2)])
    text = "its shape does not match the shape stored in checkpoint: [3,5]"
    finding = checkpoint_mismatch.check(case(text, restored(Unsaved(node=node, stored=[3, 5]))))
    assert finding is not None
    assert "`w` is (3, 4), saved as (3, 5)" in finding.message


def test_the_saver_that_left_variables_out() -> None:
    writer = "kept = [w]\nsaver = tf.train.Saver(kept)\nsaver.save(sess, 'a')\n\ntf.train.Saver().restore(sess, 'a')\n"
    facts = restored(Unsaved(node=GraphNode(name="head/w", op="VariableV2", made=[line(1)])))
    message = "Key head/w not found in checkpoint"
    finding = checkpoint_mismatch.check(case(message, facts, source=writer, kind="NotFoundError"))
    assert finding is not None
    assert finding.location is not None
    assert (finding.location.line, finding.certainty) == (2, "likely")
    assert "saves only `kept`, so 1 of the 4 variables" in finding.message
    whole = checkpoint_mismatch.check(
        case(message, facts, source=writer.replace("Saver(kept)", "Saver()"), kind="NotFoundError")
    )
    assert whole is not None
    assert whole.location is not None
    assert (whole.location.line, whole.certainty) == (5, "certain")
