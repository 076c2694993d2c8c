"""Targets that do not fit, by arithmetic: several outputs, merged rows, a loss without rows, the training data."""

from __future__ import annotations

from tests.unit.diagnose.case_of import FILE, case_of, raised
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.shapes import target_mismatch
from whydied.records import CallBegan, ErrorFacts, Frame, LayerFacts, Party, Record, ValueSource
from whydied.source.text import Source


def _line(number: int, source: str = "") -> Frame:
    return Frame(file=FILE, line=number, function="<module>", user=True, source=source)


def _found(message: str, *records: Record, kind: str = "ValueError") -> Finding:
    found = target_mismatch.check(case_of(process=[*records, raised(kind, message)], exit_code=1))
    assert found is not None
    return found


def _dense(name: str, line: int, *inputs: str, **settings: str) -> LayerFacts:
    return LayerFacts(name=name, type="Dense", made=_line(line), inputs=list(inputs), settings=settings)


def test_two_outputs_and_one_target() -> None:
    source = ValueSource(kind="generator", name="batches", frame=_line(3))
    parties = [
        Party(role="x", type="generator", sources=[source]),
        *(Party(role=role, shape=[None, 1]) for role in ("target", "output", "output")),
    ]
    layers = [_dense("hidden", 1), _dense("price", 2, "hidden"), _dense("stock", 3, "hidden")]
    found = _found(
        "y_true and y_pred have different structures.", ErrorFacts(parties=parties, layers=layers, call="fit")
    )
    assert found.location is not None
    assert found.location.line == 3
    assert found.advice == ["Yield a tuple with one target for each output, in the order `(price, stock)`."]


def test_steps_that_a_reshape_made_rows() -> None:
    merged = ValueSource(kind="op", name="Reshape", frame=_line(3), takes=[None, 7, 24], gives=[None, 24])
    parties = [
        Party(role="operand", text="scores", shape=[None, None], sources=[merged]),
        Party(role="operand", text="labels", shape=[None, None]),
    ]
    facts = ErrorFacts(op="SoftmaxCrossEntropyWithLogits", parties=parties)
    said = "logits and labels must be broadcastable: logits_size=[350,2] labels_size=[50,2]"
    found = _found(said, facts, kind="InvalidArgumentError")
    assert found.location is not None
    assert found.location.line == 3
    assert "350 = 7 × 50" in found.message
    other = "logits and labels must be broadcastable: logits_size=[400,2] labels_size=[50,2]"
    assert "= 8 × 50" not in _found(other, facts, kind="InvalidArgumentError").message


def test_one_hot_rows_that_were_flattened() -> None:
    made = ValueSource(kind="variable", name="flat", text="tf.reshape(labels, [-1])", frame=_line(3))
    parties = [
        Party(role="target", text="flat", shape=[500], lowest=0, highest=1, sources=[made]),
        Party(role="output", text="logits", shape=[50, 10]),
    ]
    facts = ErrorFacts(raiser="sparse_softmax_cross_entropy_with_logits", parties=parties)
    found = _found("`labels.shape` must equal `logits.shape` except for the last dimension.", facts)
    assert "one-hot rows were flattened by `tf.reshape(labels, [-1])` on line 3" in found.message
    assert found.advice[0].startswith("Pass `tf.argmax(labels, -1)` in its place")


def test_a_loss_that_sums_over_the_rows() -> None:
    text = "return tf.sqrt(tf.reduce_sum(squares, axis=0) + 1e-7)"
    lost = ValueSource(kind="op", name="Sum", text=text, frame=_line(3), takes=[32, 5], gives=[5])
    parties = [
        Party(role="operand", shape=[5], sources=[lost]),
        Party(role="operand", shape=[32]),
        *(Party(role=role, shape=[32, 5]) for role in ("target", "output")),
    ]
    facts = ErrorFacts(op="Mul", node="compile_loss/own/mul", parties=parties, call="fit", loss="own")
    found = _found("Dimensions must be equal, but are 5 and 32", facts)
    assert found.location is not None
    assert found.location.line == 3
    assert found.advice == ["`axis=-1` in place of `axis=0` gives one value per row: (32,)."]


def test_validation_targets_are_compared_with_those_of_the_training() -> None:
    parties = [
        Party(role="y", text="held", shape=[40, 3], one_hot=True, classes=3, lowest=0, highest=1),
        Party(role="target", shape=[None, 3]),
        Party(role="output", shape=[None, 4]),
    ]
    layers = [_dense("dense", 2, units="4", activation="softmax")]
    facts = ErrorFacts(
        parties=parties,
        layers=layers,
        call="evaluate",
        loss="categorical_crossentropy",
        raiser="categorical_crossentropy",
    )
    fit = CallBegan(call=1, kind="fit", frames=[_line(5)], arguments={"y": {"shape": [160, 4]}})
    found = _found("Arguments `target` and `output` must have the same shape.", fit, facts)
    assert found.advice[0].startswith(
        "Encode both with the classes of the training: the validation part has 3 of the 4"
    )
    alike = CallBegan(call=1, kind="fit", frames=[_line(5)], arguments={"y": {"shape": [160, 3]}})
    assert "training" not in _found("Arguments `target` and `output` must have the same shape.", alike, facts).message


def test_one_unit_is_offered_with_a_sigmoid() -> None:
    parties = [Party(role="target", shape=[None]), Party(role="output", shape=[None, 2])]
    layers = [_dense("dense", 2, units="2", activation="softmax")]
    facts = ErrorFacts(
        parties=parties, layers=layers, call="fit", loss="binary_crossentropy", raiser="binary_crossentropy"
    )
    found = _found("`target` and `output` must have the same shape", facts)
    assert found.advice == [
        "Either use `sparse_categorical_crossentropy` with the 2 units, for class numbers from 0 to 1; or "
        '`Dense(1, activation="sigmoid")` as the last layer gives one probability per row, for `binary_crossentropy`.'
    ]


def test_samples_in_the_columns() -> None:
    parties = [Party(role="x", text="table", shape=[8, 100]), Party(role="y", text="y", shape=[100])]
    entrance = LayerFacts(name="input", type="InputLayer", output_shape=[None, 8], made=_line(2))
    facts = ErrorFacts(parties=parties, layers=[entrance], call="fit", raiser="check_data_cardinality")
    found = _found("Data cardinality is ambiguous.", facts)
    assert found.advice == ["The samples are the columns of `table` (8, 100): `table.T` makes it (100, 8)."]


def test_a_list_of_samples_is_not_as_many_inputs() -> None:
    parties = [Party(role="x", text=f"photos[{n}]", shape=[20, 20, 1]) for n in range(3)]
    parties.append(Party(role="y", text="y", shape=[60, 3]))
    entrance = LayerFacts(name="input", type="InputLayer", output_shape=[None, 20, 20, 1], made=_line(2))
    facts = ErrorFacts(parties=parties, layers=[entrance], call="fit", raiser="check_data_cardinality")
    assert _found("Data cardinality is ambiguous.", facts).advice == ["Make one array of the list: `np.array(photos)`."]


def test_inputs_of_different_lengths_are_not_called_targets() -> None:
    parties = [Party(role="x", text="front", shape=[25, 4]), Party(role="x", text="rear", shape=[50, 4])]
    found = _found(
        "Data cardinality is ambiguous.", ErrorFacts(parties=parties, call="fit", raiser="check_data_cardinality")
    )
    assert "each sample needs a row of every input" in found.message


def test_every_step_where_the_targets_have_steps() -> None:
    layers = [
        LayerFacts(name="input", type="InputLayer", output_shape=[None, 9, 15]),
        LayerFacts(
            name="lstm",
            type="LSTM",
            made=_line(3),
            settings={"units": "8", "return_sequences": "False"},
            inputs=["input"],
        ),
        _dense("dense", 4, "lstm", units="15"),
    ]
    parties = [
        Party(role="y", text="y", shape=[100, 9, 15]),
        Party(role="target", shape=[25, 9, 15]),
        Party(role="output", shape=[25, 15]),
    ]
    facts = ErrorFacts(
        parties=parties, layers=layers, call="fit", model="Sequential", loss="mse", raiser="categorical_crossentropy"
    )
    found = _found("Arguments `target` and `output` must have the same rank", facts)
    assert "`y` is (100, 9, 15)" in found.message
    assert found.advice == [
        '`return_sequences=True` in LSTM "lstm" (line 3 of train.py) returns every step: one row per target.'
    ]


def test_a_loss_with_a_value_for_each_pair() -> None:
    folded = ValueSource(
        kind="op", name="Reshape", text="tf.reshape(y, [-1, 2])", frame=_line(3), takes=[16, 1], gives=[8, 2]
    )
    parties = [
        Party(role="operand", shape=[8], sources=[folded]),
        Party(role="operand", shape=[16]),
        *(Party(role=role, shape=[16, 1]) for role in ("target", "output")),
    ]
    facts = ErrorFacts(op="Mul", node="compile_loss/own/mul", parties=parties, call="fit", loss="own")
    found = _found("Dimensions must be equal, but are 8 and 16", facts)
    assert found.advice == ["Return one value per row: `tf.repeat(…, 2)` gives 16 of the 8."]
    case = case_of(process=[facts, raised("ValueError", "Dimensions must be equal, but are 8 and 16")], exit_code=1)
    case.recording.sources[FILE] = Source(
        "from keras import ops\ndef own(y, p):\n    y = ops.reshape(y, [-1, 2])\n    return distance(y, p)\n"
    )
    assert patches_of(case, target_mismatch.check(case)) == [
        ["-    return distance(y, p)", "+    return ops.repeat(distance(y, p), 2)"]
    ]


def test_pictures_are_not_classes() -> None:
    pictures = Party(role="y", text="pictures", type="numpy.ndarray", shape=[200, 14, 14], lowest=0, highest=255)
    parties = [pictures, Party(role="target", shape=[50, 14, 14]), Party(role="output", shape=[50, 14, 14])]
    facts = ErrorFacts(parties=parties, call="fit", loss="sparse_categorical_crossentropy", compiled=_line(3))
    found = _found("must have the same shape", facts)
    assert "holds numbers from 0 to 255 and not classes" in found.message
    assert found.advice == ["Use a loss for numbers, such as `mse`; for values from 0 to 1 also `binary_crossentropy`."]


def test_sizes_that_come_out_again() -> None:
    layers = [
        LayerFacts(name="input", type="InputLayer", output_shape=[None, 58, 90, 1], made=_line(2)),
        LayerFacts(
            name="pool", type="MaxPooling2D", inputs=["input"],
            settings={"pool_size": "(8, 8)", "strides": "(8, 8)", "padding": "same"},
        ),
        LayerFacts(name="up", type="UpSampling2D", inputs=["pool"], settings={"size": "(8, 8)"}),
    ]  # fmt: skip
    parties = [
        Party(role="y", text="clean", shape=[12, 58, 90, 1]),
        Party(role="target", shape=[4, 58, 90, 1]),
        Party(role="output", shape=[4, 64, 96, 1]),
    ]
    facts = ErrorFacts(parties=parties, layers=layers, call="fit", loss="mse", raiser="binary_crossentropy")
    found = _found("must have the same shape", facts)
    assert "multiples of 8, 58 → 56 or 64, 90 → 88 or 96" in found.advice[0]
    halved = [*layers[:2], LayerFacts(name="up", type="UpSampling2D", inputs=["pool"], settings={"size": "(4, 4)"})]
    other = ErrorFacts(parties=parties, layers=halved, call="fit", loss="mse", raiser="binary_crossentropy")
    assert "multiples" not in _found("must have the same shape", other).advice[0]


def test_the_setting_of_a_layer_that_makes_the_output_fit() -> None:
    layers = [
        LayerFacts(name="input", type="InputLayer", output_shape=[None, 4]),
        LayerFacts(name="repeat", type="RepeatVector", made=_line(3), settings={"n": "10"}, inputs=["input"]),
        LayerFacts(name="each", type="TimeDistributed", wrapped=_dense("dense", 4, units="1"), inputs=["repeat"]),
    ]
    parties = [
        Party(role="y", text="y", shape=[50, 20, 1]),
        Party(role="target", shape=[None, 20, 1]),
        Party(role="output", shape=[None, 10, 1]),
    ]
    facts = ErrorFacts(parties=parties, layers=layers, call="fit", loss="mse", raiser="categorical_crossentropy")
    found = _found("must have the same shape", facts)
    assert found.advice == [
        '`n=20` in RepeatVector "repeat" (line 3 of train.py) makes the output (None, 20, 1), as `y` asks.'
    ]


def test_a_batch_need_not_have_all_classes() -> None:
    labels = Party(role="target", text="y[i:i + 8]", shape=[8, 4], one_hot=True, classes=3, first_class=1, highest=1)
    parties = [labels, Party(role="output", text="pred", shape=[8, 3])]
    facts = ErrorFacts(
        parties=parties, layers=[_dense("dense", 2, units="3")], raiser="softmax_cross_entropy_with_logits"
    )
    found = _found("must have the same shape", facts)
    assert found.advice == ["`Dense(4, …)` as the last layer would be as wide as `y[i:i + 8]`."]


def test_columns_as_many_as_the_output_from_the_first_used_one_on() -> None:
    # 124 rows of 26 letters, numbered from 97: fewer rows than columns.
    labels = Party(role="y", text="onehot", shape=[124, 123], one_hot=True, classes=26, first_class=97, highest=1)
    parties = [labels, Party(role="target", shape=[None, 123]), Party(role="output", shape=[None, 26])]
    facts = ErrorFacts(
        parties=parties, layers=[_dense("dense", 2, units="26")], raiser="categorical_crossentropy", call="fit"
    )
    found = _found("must have the same shape", facts)
    assert found.advice == ["Subtract 97 before they become one-hot rows: `the class numbers - 97`."]


def test_the_padding_of_one_layer_that_makes_the_output_fit() -> None:
    layers = [
        LayerFacts(name="input", type="InputLayer", output_shape=[None, 14, 1], made=_line(2)),
        LayerFacts(
            name="down", type="MaxPooling1D", inputs=["input"],
            settings={"pool_size": "(4,)", "strides": "(4,)", "padding": "same"},
        ),
        LayerFacts(name="up", type="UpSampling1D", inputs=["down"], settings={"size": "4"}),
        LayerFacts(
            name="last", type="Conv1D", inputs=["up"], made=_line(4), output_shape=[None, 16, 1],
            settings={"filters": "1", "kernel_size": "(3,)", "strides": "(1,)", "padding": "same"},
        ),
    ]  # fmt: skip
    parties = [
        Party(role="y", text="waves", shape=[20, 14, 1]),
        Party(role="target", shape=[None, 14, 1]),
        Party(role="output", shape=[None, 16, 1]),
    ]
    facts = ErrorFacts(parties=parties, layers=layers, call="fit", loss="mse", raiser="mean_squared_error")
    found = _found("must have the same shape", facts)
    assert found.advice[0] == (
        '`padding="valid"` in Conv1D "last" (line 4 of train.py) makes the output (None, 14, 1), as `waves` asks.'
    )
    assert found.location is not None
    assert found.location.line == 4
