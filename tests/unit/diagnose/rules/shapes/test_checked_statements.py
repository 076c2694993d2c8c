"""What is said of shapes, types and targets is checked first: the positive case and the near miss of each."""

from __future__ import annotations

import msgspec

from tests.unit.diagnose.case_of import FILE, case_of, raised
from tests.unit.diagnose.rules.shapes.test_given_data import CONVOLUTION, case, found, layer, line, party
from whydied.diagnose.case import Case
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.shapes import (
    conv_output_below_one,
    dtype_mismatch,
    shape_mismatch,
    target_mismatch,
    wrong_input_shape,
)
from whydied.records import CallBegan, CallEnded, ErrorFacts, InputWanted, LayerFacts, Party, ValueSource
from whydied.source.text import Source


def test_the_refused_text_is_that_of_the_dtype_that_the_message_names() -> None:
    given = [
        party("x", "tf.constant(texts)", 60, dtype="string"),
        party("y", "np.array(labels)", 60, dtype="str96"),
    ]
    facts = ErrorFacts(call="fit", place=line(5), parties=given, layers=[])
    finding = found(dtype_mismatch.check(case("Invalid dtype: str96", facts)))
    assert "`np.array(labels)` (60,) holds text (str96)" in finding.message


def test_texts_are_what_a_model_for_texts_takes() -> None:
    given = [party("x", "texts", 60, dtype="string"), party("y", "labels", 60, dtype="string")]
    layers = [layer("TextVectorization", 2), layer("Dense", 3)]
    facts = ErrorFacts(call="fit", place=line(5), parties=given, layers=layers)
    assert "`labels`" in found(dtype_mismatch.check(case("Cast string to float is not supported", facts))).message
    alone = ErrorFacts(call="fit", place=line(5), parties=given[:1], layers=layers)
    assert dtype_mismatch.check(case("Cast string to float is not supported", alone)) is None


def _per_step(highest: int, dtype: str = "int64") -> Finding:
    labels = party("y", "following", 40, 11, dtype=dtype, lowest=0, highest=highest)
    met = [Party(role="target", shape=[None, 11]), Party(role="output", shape=[None, 11, 80])]
    facts = ErrorFacts(
        call="fit",
        loss="categorical_crossentropy",
        raiser="categorical_crossentropy",
        place=line(5),
        compiled=line(4),
        parties=[labels, *met],
        layers=[layer("Dense", 3, None, 11, 80, units="80")],
    )
    said = "Arguments `target` and `output` must have the same rank (ndim)."
    return found(target_mismatch.check(case(said, facts)))


def test_class_numbers_for_each_step_go_with_the_sparse_loss() -> None:
    finding = _per_step(79)
    assert finding.advice == [
        "Use `sparse_categorical_crossentropy`, or one-hot rows: `keras.utils.to_categorical(following, 80)`."
    ]


def test_numbers_beyond_the_output_are_no_classes_and_flatten_is_not_offered_untried() -> None:
    finding = _per_step(300)
    assert finding.advice == []
    assert "one row per sample" not in finding.message


def test_data_that_the_input_does_not_declare_are_told_before_an_empty_output() -> None:
    photo = party("x", "photo", 28, 28, 1, 3, made=2)
    entrance = layer("InputLayer", 4, None, 28, 28, 3)
    facts = ErrorFacts(
        call="predict", place=line(5), parties=[photo], layer=CONVOLUTION, layers=[entrance, CONVOLUTION]
    )
    one = case("Negative dimension size caused by subtracting 5 from 1 for Conv2D", facts)
    one.recording.sources = {FILE: Source("\nphoto = np.expand_dims(photo, axis=2)\n\n\nmodel.predict(photo)\n")}
    assert conv_output_below_one.check(one) is None
    finding = found(wrong_input_shape.check(one))
    assert finding.location is not None
    assert finding.location.line == 2
    assert "with `axis=0` it gives (1, 28, 28, 3)" in finding.advice[0]


def test_a_mismatch_of_two_values_is_likely_while_both_could_be_changed() -> None:
    given = [party("operand", "small", 10, 10), party("operand", "large", 20, 20)]
    facts = ErrorFacts(op="AddV2", place=line(5), parties=given)
    said = "Incompatible shapes: [10,10] vs. [20,20]"
    assert found(shape_mismatch.check(case(said, facts, kind="InvalidArgumentError"))).certainty == "likely"


def test_rows_that_differ_are_likely_while_nothing_says_which_side_is_wrong() -> None:
    facts = ErrorFacts(
        call="fit",
        raiser="check_data_cardinality",
        place=line(5),
        parties=[party("x", "x_train", 720, 8), party("y", "y_train", 180)],
    )
    assert found(target_mismatch.check(case("Data cardinality is ambiguous", facts))).certainty == "likely"


def _into_dense(*before: LayerFacts, feeding: LayerFacts, given: Party, trained: bool = False) -> Case:
    dense = layer("Dense", 4, None, 2, units="2")
    facts = ErrorFacts(
        place=line(5),
        layer=dense,
        feeding=feeding,
        layers=[*before, dense],
        parties=[given],
        wanted=InputWanted(axes={"-1": 30}),
    )
    calls = [CallBegan(call=1, kind="fit", frames=[line(3)]), CallEnded(call=1)] if trained else []
    return case("Input 0 of layer dense is incompatible: expected axis -1 to have value 30", *calls, facts)


def test_a_layer_that_passes_on_what_it_is_given_is_not_to_be_changed() -> None:
    drop = msgspec.structs.replace(layer("Dropout", 3, None, 20), inputs=["dense_1"])
    wide = msgspec.structs.replace(layer("Dense", 2, None, 20, units="20"), name="dense_1")
    told = found(shape_mismatch.check(_into_dense(wide, drop, feeding=drop, given=party("input", "h", None, 20))))
    assert told.advice[0].startswith('Either make Dense "dense_1" (line 2 of train.py) give 30, or')
    entrance = layer("InputLayer", 1, None, 20)
    drop = msgspec.structs.replace(drop, inputs=["inputlayer"])
    told = found(shape_mismatch.check(_into_dense(entrance, drop, feeding=drop, given=party("input", "h", None, 20))))
    assert told.advice[0].startswith('Either make InputLayer "inputlayer" (line 1 of train.py) declare 30, or')
    unknown = msgspec.structs.replace(drop, inputs=[])
    told = found(shape_mismatch.check(_into_dense(unknown, feeding=unknown, given=party("input", "h", None, 20))))
    assert told.advice[0].startswith('Either make what Dropout "dropout" (line 3 of train.py) is given 30 wide, or')


def test_data_that_pass_through_a_dropout_are_told_as_data_where_their_size_is_written() -> None:
    drop = layer("Dropout", 3, None, 20)
    made = ValueSource(kind="variable", name="fresh", text="rng.random((8, 20))", frame=line(2))
    fresh = Party(role="input", text="fresh", type="numpy.ndarray", shape=[8, 20], sources=[made])
    one = _into_dense(drop, feeding=drop, given=fresh, trained=True)
    assert shape_mismatch.check(one) is None
    told = found(wrong_input_shape.check(one))
    assert told.location is not None
    assert (told.location.line, told.certainty) == (2, "certain")
    assert "`fresh` (8, 20) does not match" in told.message


def _exchanged(target: tuple[int, ...], output: tuple[int, ...]) -> Finding:
    text = "loss = tf.nn.sparse_softmax_cross_entropy_with_logits(scores, labels)"
    facts = ErrorFacts(
        op="SparseSoftmaxCrossEntropyWithLogits",
        raiser="sparse_softmax_cross_entropy_with_logits",
        place=line(1),
        parties=[party("target", "scores", *target), party("output", "labels", *output)],
    )
    one = case_of(
        process=[facts, raised("ValueError", "`labels.shape.rank` must equal it minus 1", number=1)], exit_code=1
    )
    one.recording.sources = {FILE: Source(text + "\n")}
    return found(target_mismatch.check(one))


def test_labels_and_logits_for_each_other() -> None:
    finding = _exchanged((16, 4), (16,))
    assert "takes the labels first, and `scores` (16, 4) has the axes of the logits" in finding.message
    assert finding.advice == ["Exchange them: `tf.nn.sparse_softmax_cross_entropy_with_logits(labels, scores)`."]
    assert "Exchange them" not in str(_exchanged((16, 4), (16, 4, 3, 2)).advice)


def _unpacked(*shape: int, text: str = "hold_out(mixes, strength)") -> Finding:
    def given(role: str, name: str, sizes: tuple[int, ...], call: str) -> Party:
        made = ValueSource(kind="variable", name=name, text=call, frame=line(4))
        return Party(role=role, text=name, shape=list(sizes), sources=[made])

    parties = [given("x", "x_train", (720, 8), "hold_out(mixes, strength)"), given("y", "y_train", shape, text)]
    facts = ErrorFacts(call="fit", raiser="check_data_cardinality", place=line(5), parties=parties)
    one = case("Data cardinality is ambiguous", facts)
    program = "def hold_out(x, y):\n    return x[:9], x[9:], y[:9], y[9:]\n\n"
    program += "x_train, y_train, x_test, y_test = hold_out(mixes, strength)\nmodel.fit(x_train, y_train)\n"
    one.recording.sources = {FILE: Source(program)}
    return found(target_mismatch.check(one))


def test_names_in_another_order_than_a_function_gives_its_parts() -> None:
    finding = _unpacked(180, 8)
    assert finding.location is not None
    assert (finding.location.line, finding.certainty) == (4, "likely")
    assert "the names are not in the order in which `hold_out` gives its parts" in finding.message
    assert finding.advice[0].endswith("into that order: `hold_out` returns `x[:9], x[9:], y[:9], y[9:]`.")


def test_rows_that_differ_otherwise_are_not_told_as_an_order() -> None:
    assert "order" not in _unpacked(180).message
    assert "order" not in _unpacked(180, 8, text="other(strength)").message
