"""What was given to a model and does not fit it: the exact words, and near misses."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.case import Case
from whydied.diagnose.errors.exception_words import advice_for
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.data import index_out_of_range, label_out_of_range, picture_not_decoded
from whydied.diagnose.rules.shapes import (
    conv_output_below_one,
    dtype_mismatch,
    rank_mismatch,
    shape_mismatch,
    target_mismatch,
    uneven_batch,
    wrong_input_shape,
)
from whydied.records import (
    BadFile,
    ErrorFacts,
    Frame,
    InputWanted,
    LayerFacts,
    Operand,
    OutOfRangeFound,
    Party,
    PicturesLooked,
    RaisedException,
    Record,
    Term,
    ValueSource,
)
from whydied.source.text import Source


def line(number: int) -> Frame:
    return Frame(file=FILE, line=number, function="<module>", user=True, end_line=number)


def layer(kind: str, number: int, *output: int | None, **settings: str) -> LayerFacts:
    return LayerFacts(
        name=kind.lower(), type=kind, made=line(number), output_shape=list(output) or None, settings=settings
    )


def case(message: str, *records: Record, kind: str = "ValueError") -> Case:
    return case_of(process=[*records, raised(kind, message)], exit_code=1)


def found(finding: Finding | None) -> Finding:
    assert finding is not None
    return finding


def party(role: str, text: str, *shape: int | None, made: int | None = None, **fields: object) -> Party:
    sources = [ValueSource(kind="variable", name=text, frame=line(made))] if made is not None else []
    return Party(role=role, text=text, shape=list(shape), sources=sources, **fields)  # type: ignore[arg-type]


ENTRANCE = layer("InputLayer", 4, None, 28, 28, 1)
CONVOLUTION = layer("Conv2D", 4, kernel_size="(3, 3)")
BELOW_ONE = "Negative dimension size caused by subtracting 3 from 1 for Conv2D with input shapes: [28,28,1,1]."


def fitted(*parties: Party, **fields: object) -> ErrorFacts:
    layers = [ENTRANCE, CONVOLUTION]
    given: dict[str, object] = {"layers": layers, "layer": CONVOLUTION, "place": line(5), "parties": list(parties)}
    return ErrorFacts(call="fit", **given, **fields)  # type: ignore[arg-type]


def test_a_data_set_that_is_not_batched() -> None:
    one = case(BELOW_ONE, fitted(party("element", "train", 28, 28, 1, made=2)))
    finding = found(rank_mismatch.check(one))
    assert finding.message == (
        'train.py:2: each element of `train` (28, 28, 1) has 3 axes, but InputLayer "inputlayer" (line 4 of '
        "train.py) expects 4: "
        "(None, 28, 28, 1)"
    )
    assert finding.advice == ["It is not batched: `train.batch(32)` adds the batch axis."]
    assert finding.certainty == "certain"
    assert conv_output_below_one.check(one) is None


def test_one_sample_that_is_predicted() -> None:
    finding = found(rank_mismatch.check(case(BELOW_ONE, fitted(party("x", "photo", 28, 28, 1, made=2)))))
    assert finding.location is not None
    assert finding.location.line == 5
    assert finding.advice == ["It is a single sample without a batch axis: `photo[None]` makes it (1, 28, 28, 1)."]


@pytest.mark.parametrize("shape", [(None, 28, 28, 1), (28, 28, 3), (28, 1)])
def test_a_window_that_is_too_large_stays_one(shape: tuple[int | None, ...]) -> None:
    one = case(BELOW_ONE, fitted(party("element", "train", *shape, made=2)))
    assert rank_mismatch.check(one) is None
    # A smaller window, padding and a larger picture would all do.
    assert found(conv_output_below_one.check(one)).certainty == "likely"


def test_a_recurrent_layer_before_one_that_passes_its_shape_on() -> None:
    facts = ErrorFacts(
        layer=layer("LSTM", 5),
        feeding=layer("Dropout", 4),
        shaping=layer("LSTM", 3, return_sequences="False"),
        wanted=InputWanted(rank=3),
        parties=[party("input", "", None, 50)],
        place=line(5),
    )
    finding = found(rank_mismatch.check(case("expected ndim=3, found ndim=2", facts)))
    assert finding.message == (
        'train.py:3: the output of LSTM "lstm" (line 3 of train.py), passed on by Dropout "dropout" (line 4 of '
        "train.py), (None, 50) has 2 axes, "
        'but LSTM "lstm" (line 5 of train.py) expects 3'
    )
    assert finding.advice == [
        '`return_sequences=True` in LSTM "lstm" (line 3 of train.py) returns all steps, with 3 axes.'
    ]


def test_the_layer_that_made_the_width_is_to_be_changed() -> None:
    facts = ErrorFacts(
        layer=layer("Dense", 5),
        feeding=layer("Dropout", 4),
        shaping=layer("Dense", 3),
        wanted=InputWanted(axes={"-1": 64}),
        parties=[party("input", "", 8, 96)],
        place=line(5),
    )
    finding = found(shape_mismatch.check(case("incompatible", facts)))
    assert finding.advice == [
        'Either make Dense "dense" (line 3 of train.py) give 64, or make Dense "dense" (line 5 of train.py) take 96.'
    ]


def test_channels_that_come_first() -> None:
    facts = fitted(
        party("input", "", None, 1, 28, 28), party("x", "photos", 16, 1, 28, 28), wanted=InputWanted(axes={"-1": 1})
    )
    finding = found(wrong_input_shape.check(case("incompatible", facts)))
    assert finding.advice == [
        "The axes are in the wrong order: `np.transpose(photos, (0, 2, 3, 1))` makes it (16, 28, 28, 1)."
    ]
    assert finding.location is not None
    assert finding.location.line == 5


@pytest.mark.parametrize(
    ("fields", "held", "advice"),
    [
        (
            {"held": ["list"], "shortest": 1, "longest": 6},
            "lists of 1 to 6 items (object), but fit takes numbers in rows of one length",
            "`keras.utils.pad_sequences(x, padding='post')` pads all rows to 6 items; or pass `maxlen` to cut them.",
        ),
        (
            {"held": ["ndarray"], "shortest": 30, "longest": 32},
            "arrays of 30 to 32 items (object), but fit takes numbers in rows of one length",
            "Bring all of `x` to one shape and combine them with `np.stack(x)`.",
        ),
        (
            {"held": ["str"]},
            "text (object), but fit takes numbers",
            "Convert it to numbers first, for example with `np.asarray(x, dtype='float32')`.",
        ),
        (
            {"held": ["float", "NoneType"]},
            "Python objects of type float, NoneType (object), but fit takes numbers",
            "Convert it to numbers first, for example with `np.asarray(x, dtype='float32')`.",
        ),
    ],
)
def test_what_an_array_of_objects_holds(fields: dict[str, object], held: str, advice: str) -> None:
    facts = ErrorFacts(call="fit", place=line(5), parties=[party("x", "x", 5, dtype="object", **fields)])
    finding = found(dtype_mismatch.check(case("Invalid dtype: object", facts)))
    assert finding.message == f"train.py:5: `x` (5,) holds {held}"
    assert finding.advice == [advice]


SPARSE = "Argument `output` must have rank (ndim) `target.ndim - 1`."


def test_one_hot_rows_that_the_data_set_makes() -> None:
    label = Party(
        role="label",
        text="train",
        shape=[None, 4],
        sources=[ValueSource(kind="op", name="OneHot", frame=line(2), text="tf.one_hot(kind, 4)")],
    )
    met = [party("target", "", None, 4), party("output", "", None, 4)]
    facts = ErrorFacts(
        call="fit", loss="sparse_categorical_crossentropy", place=line(5), compiled=line(4), parties=[label, *met]
    )
    finding = found(target_mismatch.check(case(SPARSE, facts)))
    assert finding.message == (
        "train.py:4: the target (None, 4) holds one-hot rows (line 2 of train.py), but the loss "
        "sparse_categorical_crossentropy expects "
        "one integer class label per sample"
    )
    assert finding.advice == ["Use `categorical_crossentropy`, or drop the one-hot encoding on line 2 of train.py."]


def test_maps_that_are_too_small() -> None:
    met = [party("target", "", 4, 32, 32, 1), party("output", "", 4, 8, 8, 1)]
    facts = ErrorFacts(call="fit", loss="mse", place=line(5), layers=[layer("Conv2D", 3, None, 8, 8, 1)], parties=met)
    finding = found(target_mismatch.check(case("must have the same shape", facts)))
    assert finding.advice == [
        "The output is 4 times too small: let the model upsample by 4 more (`UpSampling2D(4)`, or `strides=4` in a "
        "transposed convolution) to 32, or make the targets smaller."
    ]


def test_a_metric_that_compares_value_by_value() -> None:
    facts = ErrorFacts(
        call="fit",
        loss="sparse_categorical_crossentropy",
        metric="Recall",
        place=line(5),
        compiled=line(4),
        layers=[layer("Dense", 3, None, 3, units="3")],
        parties=[party("x", "samples", 24, 5), party("y", "kinds", 24, lowest=0, highest=2)],
    )
    finding = found(target_mismatch.check(case("Incompatible shapes: [1,72] vs. [1,24]", facts)))
    assert finding.message == (
        'train.py:4: the metric Recall compares `kinds` (24,) from 0 to 2 with the output of Dense "dense" (line 3 '
        "of train.py) "
        "(None, 3) element by element, and their shapes do not match"
    )
    assert finding.advice[0].startswith(
        "Use one-hot targets as wide as the output: `keras.utils.to_categorical(kinds, 3)`"
    )


def test_ids_of_a_layer_that_knows_more_words() -> None:
    term = Term(kind="vocabulary", words="ids from 0 to 29", by="op", source="GatherV2", low=0, high=30, below=True)
    layers = OutOfRangeFound(
        name="",
        term=term,
        value="44",
        limit_name="Embedding 'table'",
        limit_made=line(4),
        numbering="TextVectorization 'words'",
        numbering_made=line(2),
        numbering_size=80,
    )
    one = case("indices[5,3] = 44 is not in [0, 30)", layers, kind="InvalidArgumentError")
    finding = found(index_out_of_range.check(one))
    assert finding.message == (
        "train.py:4: the indices: row 5 of the batch has 44 at [3]; expected ids from 0 to 29 (Embedding 'table' "
        "(line 4 of train.py)), and TextVectorization 'words' (line 2 of train.py) gives ids from 0 to 79"
    )
    assert finding.advice == [
        "Give Embedding 'table' (line 4 of train.py) 80 rows, as many as there are ids; or limit TextVectorization "
        "'words' "
        "(line 2 of train.py) to 30 (`max_tokens=30`)."
    ]


def test_a_file_that_is_no_picture() -> None:
    bad = BadFile(path="/data/roses/7.jpg", reason="other", begins="<html>", size_bytes=20)
    said = "Unknown image file format."
    finding = found(picture_not_decoded.check(case(said, PicturesLooked(looked=9, bad=1, files=[bad]))))
    assert finding.message == ("train.py:5: roses/7.jpg cannot be decoded: it starts with '<html>'; expected an image")
    assert (finding.certainty, finding.advice) == ("certain", ["Remove or replace the file."])
    cut = BadFile(path="/data/roses/8.jpg", reason="cut", kind="JPEG", size_bytes=3000)
    finding = found(picture_not_decoded.check(case(said, PicturesLooked(looked=9, bad=2, files=[cut, cut]))))
    assert finding.message == (
        "train.py:5: 2 of 9 files cannot be decoded; the first is roses/8.jpg: it starts as a JPEG and is cut off "
        "after 3,000 bytes; expected images"
    )
    assert finding.certainty == "likely"
    assert picture_not_decoded.check(case(said)) is None


def test_a_slice_without_items() -> None:
    link = RaisedException(
        type="ValueError",
        module="builtins",
        message="data of length 0",
        operands=[
            Operand(text="values[:-48]", type="ndarray", shape=[0]),
            Operand(text="values", type="ndarray", shape=[40]),
        ],
    )
    assert advice_for(link) == ["`values[:-48]` has no items: `values` has only 40."]


def test_class_numbers_that_are_evaluated_during_a_training_on_rows() -> None:
    facts = ErrorFacts(
        call="evaluate",
        loss="categorical_crossentropy",
        place=line(5),
        compiled=line(4),
        layers=[layer("Dense", 3, None, 3, units="3")],
        parties=[
            party("y", "y_val", 20, lowest=0, highest=2),
            party("target", "", None),
            party("output", "", None, 3),
        ],
    )
    finding = found(target_mismatch.check(case("must have the same rank", facts)))
    assert finding.message.startswith("train.py:5: `y_val` (20,) holds integer class labels from 0 to 2, but the loss")
    assert finding.advice == ["Pass one-hot rows: `keras.utils.to_categorical(y_val, 3)`."]


def test_all_steps_where_one_row_is_wanted() -> None:
    facts = ErrorFacts(
        call="fit",
        loss="sparse_categorical_crossentropy",
        place=line(5),
        layers=[layer("LSTM", 2, None, 15, 8, return_sequences="True"), layer("Dense", 3, None, 15, 5, units="5")],
        parties=[party("y", "y", 40), party("target", "", 8), party("output", "", 8, 15, 5)],
    )
    finding = found(target_mismatch.check(case(SPARSE, facts)))
    assert finding.location is not None
    assert finding.location.line == 2
    assert finding.advice == [
        'Without `return_sequences=True` LSTM "lstm" (line 2 of train.py) returns only its last step: one row per '
        "sample."
    ]


def test_pictures_with_and_without_colour() -> None:
    said = (
        "Cannot add tensor to the batch: number of elements does not match. Shapes are: [tensor]: [16,16,1], [batch]:"
    )
    finding = found(uneven_batch.check(case(f"{said} [16,16,3]", kind="InvalidArgumentError")))
    assert finding.message == (
        "train.py:5: an element of a batch has the shape (16, 16, 1), the first one (16, 16, 3): axis 2 differs; "
        "expected one shape in a batch"
    )
    assert finding.advice == ["`channels=3` in the decoding call gives all images the same number of channels."]


def test_operands_that_nobody_wrote_are_told_with_their_layer() -> None:
    operands = [party("operand", "", None, 64), party("operand", "", 32, 128)]
    facts = ErrorFacts(call="fit", op="MatMul", layer=layer("LSTMCell", 2), place=line(5), parties=operands)
    finding = found(shape_mismatch.check(case("Dimensions must be equal, but are 64 and 32", facts)))
    assert finding.message.startswith(
        'train.py:2: incompatible shapes for a matrix product in LSTMCell "lstmcell" (line 2 of train.py): the first '
        "operand (None, 64) and the second (32, 128); axis 1 of the first is 64"
    )
    own = ErrorFacts(op="MatMul", layer=layer("Mine", 2), place=line(4), parties=operands)
    assert found(shape_mismatch.check(case("Dimensions must be equal", own))).message.startswith("train.py:4:")


def test_one_of_several_inputs_that_are_not_batched() -> None:
    facts = ErrorFacts(
        call="fit",
        layer=layer("Functional", 4),
        wanted=InputWanted(shape=[None, 12]),
        place=line(5),
        parties=[party("input", "", 12), party("element", "ds", 1, made=2), party("element", "ds", 12, made=2)],
    )
    finding = found(rank_mismatch.check(case("Invalid input shape, incompatible", facts)))
    assert finding.message.startswith("train.py:2: each element of `ds` (12,) has 1 axis, but Functional")
    assert finding.advice == ["It is not batched: `ds.batch(32)` adds the batch axis."]


def test_a_metric_whose_targets_fit_is_not_at_fault() -> None:
    facts = ErrorFacts(
        call="fit",
        metric="MeanSquaredError",
        place=line(5),
        layers=[layer("Dense", 3, None, 1, units="1")],
        parties=[party("y", "y", 30, 1)],
    )
    assert target_mismatch.check(case("Incompatible shapes", facts)) is None


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ("'y' must also be initialized in the else branch", "Give `y` a value before the `if`, or in its else branch"),
        ("'total' must be defined before the loop", "Give `total` a value before the loop"),
        (
            "'i' has dtype int32 before the loop, but dtype float32 after one iteration",
            "its type cannot change from int32 to float32",
        ),
        ("'a' has dtype int32 in the main branch, but dtype float32 in the else branch", "Keep `a` at one type"),
        (
            "'rows' has shape (0, 2) before the loop, but shape (1, 2) after one iteration. Use tf.autograph",
            "`tf.TensorArray`, or allow `rows` to grow",
        ),
        ("the else branch must also have a return statement.", "Return a value from the else branch too"),
    ],
)
def test_what_a_graph_demands_of_python_code(said: str, advice: str) -> None:
    message = f'in user code:\n\n    File "{FILE}", line 4, in f  *\n        if x:\n\n    ValueError: {said}\n'
    link = RaisedException(type="ValueError", module="builtins", message=message)
    assert advice in advice_for(link)[0]


def test_a_reshape_within_fit_is_told_by_its_own_line() -> None:
    place = Frame(file=FILE, line=3, function="call", user=True, source="  q = tf.reshape(q, (b, self.heads, size))")
    facts = ErrorFacts(type="InvalidArgumentError", op="Reshape", node="net/block/Reshape", place=place, call="fit")
    said = "Input to reshape is a tensor with 2400 values, but the requested shape has 2240"
    told = found(shape_mismatch.check(case(said, facts, kind="InvalidArgumentError")))
    assert told.message.endswith(
        "`q` has 2400 values and cannot be reshaped to `(b, self.heads, size)`, which needs 2240"
    )
    assert told.location is not None
    assert (told.location.line, told.certainty) == (3, "likely")


@pytest.mark.parametrize(
    ("op", "source", "words"),
    [
        (
            "Mul",
            "return tf.concat([a, a * b], -1)",
            "incompatible shapes for `*`: `a` (1, 10, 8) and `b` (1, 9, 8); axis 1 is 10",
        ),
        ("AddV2", "y = a + b + c", "`+`: the first operand (1, 10, 8) and the second (1, 9, 8); axis 1"),
        (
            "MatMul",
            "y = a @ b",
            "incompatible shapes for a matrix product: `a` (1, 10, 8) and `b` (1, 9, 8); axis 2 of the first",
        ),
        (
            "MatMul",
            "y = tf.matmul(a, b, transpose_b=True)",
            "incompatible shapes for MatMul: the first operand (1, 10, 8) and the second (1, 9, 8)",
        ),
    ],
    ids=["one operator", "which of two is open", "a product", "a product that may transpose"],
)
def test_an_op_within_fit_is_told_by_its_own_line(op: str, source: str, words: str) -> None:
    place = Frame(file=FILE, line=3, function="call", user=True, source=source)
    facts = ErrorFacts(type="InvalidArgumentError", op=op, node="net/block/op", place=place, call="fit")
    said = "Incompatible shapes: [1,10,8] vs. [1,9,8]"
    told = found(shape_mismatch.check(case(said, facts, kind="InvalidArgumentError")))
    assert words in told.message
    assert told.location is not None
    assert told.location.line == 3


def _convolution(**settings: str) -> LayerFacts:
    known = {"filters": "4", "kernel_size": "(3, 3)", "strides": "(1, 1)", "padding": "valid"}
    return LayerFacts(name="conv2d", type="Conv2D", made=line(4), settings={**known, **settings})


def test_channels_first_is_told_and_padding_is_not_offered() -> None:
    entrance = layer("InputLayer", 3, None, 1, 32, 32)
    facts = ErrorFacts(
        layer=_convolution(),
        layers=[entrance, _convolution()],
        place=line(4),
        parties=[party("input", "", None, 1, 32, 32)],
    )
    finding = found(conv_output_below_one.check(case(BELOW_ONE, facts)))
    assert finding.advice == [
        'InputLayer "inputlayer" (line 3 of train.py) declares (1, 32, 32), with the channels first; the layers take '
        "them last: declare `(32, 32, 1)` and pass `np.transpose(x, (0, 2, 3, 1))`."
    ]


def test_padding_that_would_die_again_is_not_offered() -> None:
    behind = LayerFacts(
        name="pool", type="MaxPooling2D", settings={"pool_size": "(4, 4)", "strides": "(4, 4)", "padding": "valid"}
    )
    entrance = layer("InputLayer", 3, None, 2, 2, 5)
    facts = ErrorFacts(
        layer=_convolution(),
        layers=[entrance, _convolution(), behind],
        place=line(4),
        model="Sequential",
        parties=[party("input", "", None, 2, 2, 5)],
    )
    finding = found(conv_output_below_one.check(case(BELOW_ONE, facts)))
    assert "padding" not in finding.advice[0]
    assert finding.advice[0].startswith("Inputs of at least 6 x 6")


def test_the_setting_behind_the_size_of_a_table() -> None:
    term = Term(kind="vocabulary", words="ids from 0 to 29", by="op", source="GatherV2", low=0, high=30, below=True)
    layers = OutOfRangeFound(name="", term=term, value="44", limit_name="Embedding 'table'", limit_made=line(4))
    one = case("indices[5,3] = 44 is not in [0, 30)", layers, kind="InvalidArgumentError")
    one.sources[FILE] = Source("ROWS = 30\n\ndef build():\n    return Embedding(ROWS, 4)\n")
    told = [(each.fact, each.value) for each in found(index_out_of_range.check(one)).evidence]
    assert ("`ROWS`", f"30, set at {FILE}:1") in told


def test_a_name_that_a_lookup_table_does_not_have() -> None:
    message = "Received a label value of -1 which is outside the valid range of [0, 3).  Label values: 0 -1 2"
    one = case(message, kind="InvalidArgumentError")
    one.sources[FILE] = Source("table = tf.lookup.StaticHashTable(names, -1)\n")
    finding = found(label_out_of_range.check(one))
    assert finding.advice[0].startswith("The table on line 1 of train.py gives -1 for a name that it does not have")
    one.sources[FILE] = Source("table = tf.lookup.StaticHashTable(names, 0)\n")
    assert "table" not in found(label_out_of_range.check(one)).advice[0]
