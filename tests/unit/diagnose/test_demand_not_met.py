"""FRM041: what a call demands of its values, and the values that were recorded."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.values.demand_not_met import check
from whydied.records import CheckpointSought, ErrorFacts, Frame, LayerFacts, Operand, Party, ValueSource
from whydied.source.edits.edit import edited
from whydied.source.text import Source


def party(role: str, text: str, *shape: int, lowest: int | None = None, highest: int | None = None) -> Party:
    made = Frame(file=FILE, line=1, function="<module>", user=True)
    return Party(
        role=role,
        text=text,
        shape=list(shape),
        lowest=lowest,
        highest=highest,
        sources=[ValueSource(kind="variable", name=text, frame=made)],
    )


def told(
    message: str,
    source: str,
    *arguments: Party,
    number: int = 2,
    layer: LayerFacts | None = None,
    kind: str = "InvalidArgumentError",
    operands: list[Operand] | None = None,
) -> Finding | None:
    facts = ErrorFacts(type=kind, arguments=list(arguments), layer=layer)
    case = case_of(process=[facts, raised(kind, message, number=number, operands=operands or [])], exit_code=1)
    for known in (case.recording.sources, case.recording.project):
        known[FILE] = Source(source)
    return check(case)


def patched(found: Finding, source: str) -> str:
    (change,) = found.changes or []
    return edited(Source(source), change.edits) or ""


CTC = "lengths = 1\nloss = tf.nn.ctc_loss(labels, logits, lengths)\n"


def test_lengths_beyond_the_time_axis() -> None:
    given = [party("sequence_length", "lengths", 4, lowest=64, highest=64), party("inputs", "logits", 4, 16, 9)]
    found = told("sequence_length(0) <= 16", CTC, *given)
    assert found is not None
    assert found.certainty == "certain"
    assert found.message == (
        "train.py:2: `lengths` (made on line 1 of train.py) holds lengths of 64, but `logits` (4, 16, 9) has only 16 "
        "time steps, 1 for every 4; expected lengths of the network's output, not of its input"
    )
    assert "ctc_loss(labels, logits, lengths // 4)" in patched(found, CTC)


def test_lengths_that_are_not_known_to_be_beyond_it() -> None:
    assert told("sequence_length(0) <= 16", CTC, party("sequence_length", "lengths", 4, lowest=3, highest=9)) is None
    assert told("sequence_length(0) <= 16", CTC) is None


def test_ids_that_are_not_sorted() -> None:
    source = "ids = 1\nx = tf.math.segment_sum(values, ids)\n"
    found = told("segment ids are not increasing", source, party("segment_ids", "ids", 4, lowest=0, highest=2))
    assert found is not None
    assert "tf.math.unsorted_segment_sum(values, ids, tf.reduce_max(ids) + 1)" in patched(found, source)
    assert told("segment ids are not increasing", source) is None


def test_a_box_beyond_the_picture() -> None:
    given = [party("image", "img", 30, 40, 3), party("offset_height", "10", highest=10)]
    text = "height must be >= target + offset."
    found = told(text, "\nx = crop(img)\n", *given, party("target_height", "25", highest=25))
    assert found is not None
    assert "height 10 + 25 = 35, but `img` (30, 40, 3) has 30" in found.message
    assert told(text, "\nx = crop(img)\n", *given, party("target_height", "20", highest=20)) is None


@pytest.mark.parametrize(("highest", "said"), [(3, True), (2, False)])
def test_a_class_beyond_their_number(highest: int, said: bool) -> None:
    text = "`labels` out of bound\nCondition x < y did not hold.\nFirst 1 elements of y:\n[3]"
    found = told(text, "\nm.update_state(y, p)\n", party("y_true", "y", 3, lowest=0, highest=highest))
    assert (found is not None) == said


def test_a_full_array_is_told_where_it_is_made() -> None:
    source = "out = tf.TensorArray(tf.float32, size=3)\nfor i in range(4):\n    out = out.write(i, 1.0)\n"
    text = "Tried to write to index 3 but array is not resizeable and size is: 3"
    found = told(text, source, number=3, kind="OutOfRangeError")
    assert found is not None
    assert found.location is not None
    assert found.location.line == 1
    assert "size=3, dynamic_size=True)" in patched(found, source)
    assert told(text, "\nwritten(out)\n", kind="OutOfRangeError") is None


def test_what_a_python_function_returns() -> None:
    source = "def f(i):\n    return np.ones(2)\nds = ds.map(lambda i: tf.numpy_function(f, [i], tf.float32))\n"
    found = told("0-th value returned by pyfunc_0 is double, but expects float", source)
    assert found is not None
    assert found.location is not None
    assert found.location.line == 3
    assert "`f` returns float64, but `numpy_function` declares float32" in found.message
    assert "[i], tf.float64)" in patched(found, source)
    assert told("0-th value returned by pyfunc_0 is double, but expects float", "\nx = 1\n") is None


@pytest.mark.parametrize(
    ("line", "message", "wanted"),
    [
        ("tf.train.BytesList(value=[name])", "expected bytes, str found", "value=[name.encode()]"),
        (
            "tf.train.FloatList(value=table)",
            "[1. 1.] has type ndarray, but expected one of: float",
            "value=table.ravel()",
        ),
    ],
)
def test_the_list_of_a_feature(line: str, message: str, wanted: str) -> None:
    source = f"\nx = {line}\n"
    found = told(message, source, kind="TypeError")
    assert found is not None
    assert wanted in patched(found, source)
    assert told(message, "\nx = other(value=[name])\n", kind="TypeError") is None


def test_an_example_is_written_as_bytes() -> None:
    source = "\nwriter.write(example)\n"
    text = "write(): incompatible function arguments. 1. (self: x.RecordWriter, record: str) -> None"
    operands = [Operand(text="example", type="tensorflow.core.example.example_pb2.Example")]
    found = told(text, source, kind="TypeError", operands=operands)
    assert found is not None
    assert "writer.write(example.SerializeToString())" in patched(found, source)
    assert told(text, source, kind="TypeError") is None


def test_a_layer_without_a_vocabulary() -> None:
    layer = LayerFacts(name="words", type="TextVectorization")
    found = told("Table not initialized.", "\nprint(words(texts))\n", layer=layer, kind="FailedPreconditionError")
    assert found is not None
    assert "`words.adapt(…)`" in found.advice[0]
    other = LayerFacts(name="dense", type="Dense")
    assert told("Table not initialized.", "\nx\n", layer=other, kind="FailedPreconditionError") is None


def test_a_layer_that_was_never_adapted_is_told_where_it_is_made() -> None:
    source = "words = TextVectorization()\nmodel.fit(texts, marks)\n"
    message = "Table not initialized.\n\t [[{{node functional_1/text_vectorization_1/None_Lookup/LookupTableFindV2}}]]"
    found = told(message, source, kind="FailedPreconditionError")
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (1, "certain")
    # Something is adapted that the source does not show to be another layer.
    adapted = told(message, f"{source}for one in layers: one.adapt(texts)\n", kind="FailedPreconditionError")
    assert adapted is not None
    assert adapted.certainty == "likely"
    late = "words = TextVectorization()\nwords(texts)\nwords.adapt(texts)\n"
    found = told("Table not initialized.", late, kind="FailedPreconditionError")
    assert found is not None
    assert patched(found, late) == "words = TextVectorization()\nwords.adapt(texts)\nwords(texts)\n"
    assert told("Table not initialized.", "words = StringLookup(vocabulary=v)\nwords(x)\n", kind="Error") is None


def test_a_setting_after_the_first_op() -> None:
    source = "import tensorflow as tf\nx = tf.ones(3)\ntf.config.threading.set_inter_op_parallelism_threads(2)\n"
    text = "Inter op parallelism cannot be modified after initialization."
    found = told(text, source, number=3, kind="RuntimeError")
    assert found is not None
    assert "comes after line 2 of train.py" in found.message
    assert patched(found, source).index("set_inter") < patched(found, source).index("tf.ones")
    late = source.replace("x = tf.ones(3)", "x = 3")
    assert told(text, late, number=3, kind="RuntimeError") is None


def test_data_that_cannot_be_counted() -> None:
    source = "ds = ds.filter(wanted)\nprint(len(ds))\n"
    found = told("The dataset length is unknown.", source, kind="TypeError")
    assert found is not None
    assert "`filter` (line 1 of train.py)" in found.message
    assert found.certainty == "certain"
    assert "print(sum(1 for _ in ds))" in patched(found, source)
    other = told("The dataset length is unknown.", source.replace("ds = ds.f", "rest = ds.f"), kind="TypeError")
    assert other is not None
    assert other.certainty == "likely"
    assert told("The dataset length is unknown.", "\nprint(len(ds))\n", kind="TypeError") is None


F1 = """\
y_train = table["left"].to_numpy()
y_test = rest["left"].to_numpy()
model.fit(x, y_train)
model.evaluate(x, y_test)
"""


@pytest.mark.parametrize(("output", "edited_too"), [("32, 1", True), ("32, 4", False)])
def test_a_metric_that_takes_a_column(output: str, edited_too: bool) -> None:
    text = (
        "FBetaScore expects 2D inputs with shape (batch_size, output_dim). Received input shapes: "
        f"y_pred.shape=({output}) and y_true.shape=(32,)."
    )
    labels = Party(role="y", text="y_train", type="numpy.ndarray", shape=[640])
    facts = ErrorFacts(type="ValueError", parties=[labels])
    case = case_of(process=[facts, raised("ValueError", text, number=3)], exit_code=1)
    case.recording.sources[FILE] = Source(F1)
    found = check(case)
    assert found is not None
    assert bool(found.changes) == edited_too
    if edited_too:
        assert found.location is not None
        assert found.location.line == 1
        assert patched(found, F1).count(".to_numpy().reshape(-1, 1)\n") == 2
    bare = case_of(process=[raised("ValueError", text, number=3)], exit_code=1)
    assert check(bare) is None


def sought(message: str, facts: CheckpointSought | None) -> Finding | None:
    source = "\nkept.restore(folder)\n"
    records = [facts] if facts is not None else []
    case = case_of(process=[*records, raised("NotFoundError", message, number=2)], exit_code=1)
    case.recording.sources[FILE] = Source(source)
    return check(case)


def test_a_directory_in_the_place_of_a_checkpoint() -> None:
    text = "Unable to open table file /ck: FAILED_PRECONDITION: /ck; Is a directory: perhaps"
    facts = CheckpointSought(path="/ck", is_directory=True, folder="/ck", found=["a-2", "a-1"])
    found = sought(text, facts)
    assert found is not None
    assert "kept.restore(tf.train.latest_checkpoint(folder))" in patched(found, "\nkept.restore(folder)\n")
    assert sought(text, CheckpointSought(path="/ck", is_directory=True, folder="/ck")) is None


def test_a_checkpoint_that_is_not_there() -> None:
    text = "Failed to find any matching files for /ck/b-1"
    found = sought(text, CheckpointSought(path="/ck/b-1", folder="/ck", found=["a-2"]))
    assert found is not None
    assert "there is no checkpoint `b-1` in /ck, which has a-2" in found.message
    assert sought(text, None) is None


def test_a_default_for_each_field() -> None:
    source = "lines = read()\nrows = tf.io.decode_csv(lines, [0.0, 0.0])\n"
    found = told("Expect 2 fields but have 3 in record 7", source)
    assert found is not None
    assert found.message == "train.py:2: `record_defaults` has 2 entries, and record 7 has 3 fields"
    assert "`select_cols=[0, 1]`" in found.advice[0]
    assert told("Expect 2 fields but have 3 in record 7", source.replace("[0.0, 0.0]", "DEFAULTS")) is None


def test_parts_of_a_data_set_with_other_numbers_of_rows() -> None:
    source = "x = load()\ndata = tf.data.Dataset.from_tensor_slices((x, y))\n"
    operands = [Operand(text="x", type="numpy.ndarray", shape=[9, 3]), Operand(text="y", type="list", shape=[8])]
    message = "Dimensions 9 and 8 are not compatible"
    found = told(message, source, kind="ValueError", operands=operands)
    assert found is not None
    assert found.message == "train.py:2: `x` (9, 3) and `y` (8,) do not have the same number of rows: 9 vs 8"
    assert found.advice == ["Give both parts the same rows: `x` is made on line 1 of train.py."]
    assert told(message, source, kind="ValueError", operands=operands[:1]) is None


def test_a_key_that_stands_twice() -> None:
    source = 'words = ["a", "b", "a"]\ntable = tf.lookup.StaticHashTable(words, -1)\n'
    message = "HashTable has different value for same key. Key a has 0 and trying to add value 2"
    found = told(message, source, kind="FailedPreconditionError")
    assert found is not None
    assert "`a` stands in this list at 0 and 2" in found.message
    assert told(message, source.replace(', "a"]', "]"), kind="FailedPreconditionError") is None
