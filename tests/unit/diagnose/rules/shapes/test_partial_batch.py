"""SHP009: batches of another size than the fixed one of the Input."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.case import Case
from whydied.diagnose.rules.shapes.partial_batch import check
from whydied.records import (
    CallBegan,
    ErrorFacts,
    ExceptionRaised,
    Frame,
    LayerFacts,
    Local,
    Party,
    RaisedException,
    StepBegan,
)
from whydied.source.text import Source

PLACE = Frame(file=FILE, line=5, function="<module>", user=True)
ENTRANCE = LayerFacts(name="input", type="InputLayer", output_shape=[16, 24, 1], made=PLACE)
LSTM = LayerFacts(name="lstm", type="LSTM", made=PLACE, settings={"stateful": "True"})


def _facts(rows: int, message: str, call: str = "fit", batch: int = 16, size: int | None = 16) -> object:
    entrance = LayerFacts(name="input", type="InputLayer", output_shape=[size, 24, 1], made=PLACE)
    facts = ErrorFacts(
        call=call,
        op="AddV2",
        place=PLACE,
        layers=[entrance, LSTM],
        parties=[Party(role="x", text="x", shape=[rows, 24, 1])],
    )
    began = CallBegan(call=1, kind=call, frames=[PLACE], arguments={"batch_size": batch})
    return check(case_of(process=[began, facts, raised("InvalidArgumentError", message)], exit_code=1))


def test_the_rest_of_the_rows_is_the_last_batch() -> None:
    found = _facts(516, "Incompatible shapes: [4,80] vs. [16,80]")
    assert found is not None
    assert found.certainty == "certain"  # type: ignore[attr-defined]
    assert "the 516 rows of `x` in batches of 16 leave 4 for the last one" in found.message  # type: ignore[attr-defined]
    assert found.advice == [  # type: ignore[attr-defined]
        "Pass a multiple of 16: `x[:512]`, and as many targets; in a pipeline `.batch(16, drop_remainder=True)`."
    ]


def test_a_single_sample_and_another_batch_size() -> None:
    single = _facts(1, "Incompatible shapes: [1,80] vs. [16,80]", "predict")
    assert single is not None
    assert "build the model a second time with a batch size of 1" in single.advice[0]  # type: ignore[attr-defined]
    other = _facts(64, "Incompatible shapes: [32,80] vs. [16,80]", batch=32)
    assert other is not None
    assert other.advice[0].startswith("Pass `batch_size=16` to `fit`")  # type: ignore[attr-defined]


SPLIT = "import keras\nsize = 16\nmodel = build(size)\n\nmodel.fit(x, y, batch_size=size, validation_split=0.2)\n"


def _split(rows: int, met: int, share: float = 0.2) -> Case:
    parties = [Party(role="input", shape=[met, 24, 1]), Party(role="x", text="x", shape=[rows, 24, 1])]
    facts = ErrorFacts(call="fit", place=PLACE, layer=LSTM, layers=[ENTRANCE, LSTM], parties=parties)
    began = CallBegan(call=1, kind="fit", frames=[PLACE], arguments={"batch_size": 16, "validation_split": share})
    case = case_of(process=[began, facts, raised("ValueError", "another batch size", number=5)], exit_code=1)
    case.recording.sources[FILE] = Source(SPLIT)
    return case


def test_a_split_that_leaves_no_multiples() -> None:
    case = _split(160, 0)
    found = check(_split(112, 9))
    assert found is not None
    assert "`validation_split=0.2` leaves 89 of the 112 rows of `x` for training" in found.message
    assert patches_of(_split(112, 9), found) == [
        [
            "-model.fit(x, y, batch_size=size, validation_split=0.2)",
            "+model.fit(x, y, batch_size=size, validation_split=1 / 7)",
        ]
    ]
    odd = check(_split(100, 4, 0.36))
    assert odd is not None
    assert "leaves 36 of the 100 rows of `x` for validation" in odd.message
    assert not odd.changes
    assert "validation_split" not in repr(check(case))


STATE = """import tensorflow as tf
ROWS = 16
def net(x):
    begin = cell.zero_state(ROWS, tf.float32)
    return tf.nn.dynamic_rnn(cell, x, initial_state=begin)
"""


def _begun(source: str, message: str = "Dimension 0 must be equal: shape[0] = [80,4] vs. shape[1] = [16,12]") -> Case:
    facts = ErrorFacts(op="ConcatV2", place=PLACE)
    case = case_of(process=[facts, raised("InvalidArgumentError", message, number=5)], exit_code=1)
    case.recording.sources[FILE] = Source(source)
    return case


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("", "", "+    begin = cell.zero_state(tf.shape(x)[0], tf.float32)"),
        ("cell.zero_state(ROWS, tf.float32)", "tf.zeros([ROWS, 12])", "+    begin = tf.zeros([tf.shape(x)[0], 12])"),
        (
            "cell.zero_state(ROWS, tf.float32)",
            "(tf.ones((ROWS, 2)), y)",
            "+    begin = (tf.ones((tf.shape(x)[0], 2)), y)",
        ),
    ],
)
def test_a_first_state_for_a_constant_number_of_rows(old: str, new: str, changed: str) -> None:
    case = _begun(STATE.replace(old, new) if old else STATE)
    found = check(case)
    assert found is not None
    assert found.location is not None
    assert (found.certainty, found.location.line) == ("likely", 4)
    assert "always has 16 rows, and meets a batch of 80" in found.message
    assert patches_of(case, found)[0][-1] == changed


def test_a_first_state_of_other_sizes_is_left_alone() -> None:
    assert check(_begun(STATE.replace("= 16", "= 32"))) is None
    assert check(_begun(STATE.replace("zero_state(ROWS", "zero_state(rows"))) is None


def test_first_states_without_an_axis_for_the_rows() -> None:
    source = STATE.replace("cell.zero_state(ROWS, tf.float32)", "[tf.zeros([12]), tf.eye(3)]")
    message = "Shape must be rank 3 but is rank 2 for Einsum with input shapes: [12,12], [12,12]."
    parties = [Party(role="operand", text="a", shape=[12, 12]), Party(role="operand", text="b", shape=[12, 12])]
    facts = ErrorFacts(op="Einsum", place=PLACE, parties=parties)
    case = case_of(process=[facts, raised("ValueError", message, number=5)], exit_code=1)
    case.recording.sources[FILE] = Source(source)
    found = check(case)
    assert found is not None
    assert "`tf.zeros([12])` has no axis for the rows" in found.message
    assert patches_of(case, found)[0][-1] == (
        "+    begin = [tf.zeros([tf.shape(x)[0], 12]), tf.eye(3, batch_shape=[tf.shape(x)[0]])]"
    )


def test_a_size_that_is_not_what_is_left_is_something_else() -> None:
    assert _facts(516, "Incompatible shapes: [5,80] vs. [16,80]") is None
    assert _facts(512, "Incompatible shapes: [4,80] vs. [16,80]") is None
    assert _facts(516, "Incompatible shapes: [4,80] vs. [16,80]", size=None) is None


def test_a_layer_that_keeps_a_state_takes_one_number_of_rows() -> None:
    def told(layer: LayerFacts) -> object:
        parties = [Party(role="input", shape=[1, 24, 1]), Party(role="x", text="x", shape=[1, 24, 1])]
        facts = ErrorFacts(call="predict", place=PLACE, layer=layer, layers=[ENTRANCE, layer], parties=parties)
        return check(case_of(process=[facts, raised("ValueError", "another batch size")], exit_code=1))

    assert told(LSTM) is not None
    assert told(LayerFacts(name="lstm", type="LSTM", made=PLACE, settings={"stateful": "False"})) is None


TRAINS = "size = 10\nmodel = build(size)\nmodel.fit(x, y, batch_size=size)\n\nmodel.predict(x, verbose=0)\n"


def _predicted(rows: int, met: int, source: str = TRAINS) -> Case:
    entrance = LayerFacts(name="input", type="InputLayer", output_shape=[10, 24, 1], made=PLACE)
    parties = [Party(role="input", shape=[met, 24, 1]), Party(role="x", text="x", shape=[rows, 24, 1])]
    facts = ErrorFacts(call="predict", place=PLACE, layer=LSTM, layers=[entrance, LSTM], parties=parties)
    case = case_of(process=[facts, raised("ValueError", "another batch size", number=5)], exit_code=1)
    case.recording.sources[FILE] = Source(source)
    return case


def test_a_call_that_is_not_told_its_batch_size_takes_the_default() -> None:
    case = _predicted(200, 32)
    found = check(case)
    assert found is not None
    assert "come in batches of 32, the default" in found.message
    assert patches_of(case, found) == [
        ["-model.predict(x, verbose=0)", "+model.predict(x, verbose=0, batch_size=size)"]
    ]
    # As the program does not say it by a name, the number; for rows that it does not divide nothing is written.
    plain = _predicted(200, 32, TRAINS.replace("batch_size=size", "batch_size=20"))
    found = check(plain)
    assert found is not None
    assert patches_of(plain, found)[0][1] == "+model.predict(x, verbose=0, batch_size=10)"
    uneven = check(_predicted(205, 32))
    assert uneven is not None
    assert not uneven.changes
    assert check(_predicted(200, 31)) is None


def test_one_row_for_a_larger_fixed_batch() -> None:
    found = _facts(1, "Incompatible shapes: [1,80] vs. [16,80]", "predict", batch=1)
    assert found is not None
    assert "the 1 row of `x` is a batch of its own, but" in found.message  # type: ignore[attr-defined]
    assert "fixed batch size of 16" in found.message  # type: ignore[attr-defined]


STEP = """import tensorflow as tf
SIZE = 64
rows = data.batch(SIZE)
def step(real):
    noise = tf.random.normal((SIZE, 8))
    return real + noise
for real in rows:
    step(real)
"""


def _stepped(message: str, *before: StepBegan, source: str = STEP) -> Case:
    frame = Frame(
        file=FILE, line=6, function="step", user=True, locals=[Local(name="real", type="EagerTensor", shape=[32, 8])]
    )
    link = RaisedException(type="InvalidArgumentError", module="tensorflow", message=message, frames=[frame])
    case = case_of(process=[*before, ExceptionRaised(where="main", chain=[link])], exit_code=1)
    case.recording.sources[FILE] = Source(source)
    return case


def test_a_step_that_always_makes_whole_batches_meets_the_last_one() -> None:
    case = _stepped("Incompatible shapes: [32,8] vs. [64,8]", StepBegan(unit="apply", count=5))
    found = check(case)
    assert found is not None
    assert found.message == (
        "train.py:5: the last, smaller batch (line 3 of train.py) has 32 rows, but `SIZE` (64) rows are made here each "
        "time"
    )
    assert [one.title for one in found.changes or []] == [
        "Write `tf.shape(real)[0]` for `SIZE` on line 5 of train.py, so that it goes with `real`",
        "Pass `drop_remainder=True` to `batch` on line 3 of train.py, which leaves the last rows out",
    ]


@pytest.mark.parametrize(
    ("message", "steps", "source"),
    [
        # The first step; more that differs; another size than that of the batches; batches that are all whole.
        ("Incompatible shapes: [32,8] vs. [64,8]", 0, STEP),
        ("Incompatible shapes: [32,8] vs. [64,9]", 5, STEP),
        ("Incompatible shapes: [32,8] vs. [48,8]", 5, STEP),
        ("Incompatible shapes: [32,8] vs. [64,8]", 5, STEP.replace("batch(SIZE)", "batch(SIZE, drop_remainder=True)")),
    ],
)
def test_other_sizes_are_not_the_last_batch(message: str, steps: int, source: str) -> None:
    before = [StepBegan(unit="apply", count=steps)] if steps else []
    assert check(_stepped(message, *before, source=source)) is None
