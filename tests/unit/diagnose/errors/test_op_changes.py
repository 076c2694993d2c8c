"""Advice about single ops: what their own rules accept, axes, sizes that are written, loops; each with a near miss."""

from __future__ import annotations

import msgspec
import pytest

from tests.unit.diagnose.case_of import FILE
from whydied.diagnose.errors.advice import Advice
from whydied.diagnose.errors.framework_error import FrameworkError
from whydied.diagnose.errors.misfit import Misfit, _beside_array, _looped, _merged
from whydied.diagnose.errors.model_ends import single_samples
from whydied.diagnose.errors.operand_changes import operand_changes
from whydied.diagnose.errors.ops.accepted_changes import accepted_cast, accepted_shapes
from whydied.diagnose.errors.ops.given_states import given_states, states_advice
from whydied.diagnose.errors.ops.joined_inputs import joined_changes
from whydied.diagnose.errors.ops.loop_shapes import loop_changes, loop_words
from whydied.diagnose.errors.ops.lost_axes import lost_axes
from whydied.diagnose.errors.ops.size_makers import MadeSize, entry_lengths, made_size
from whydied.diagnose.errors.ops.written_types import written_type
from whydied.diagnose.errors.shape_advice import changes
from whydied.records import (
    ErrorFacts,
    Frame,
    InputWanted,
    LayerFacts,
    Local,
    Operand,
    OperandTrial,
    Party,
    RaisedException,
    ValueSource,
)
from whydied.source.edits.edit import patch
from whydied.source.edits.shapes.column_edits import column_edits
from whydied.source.text import Source

SYMBOLIC = "Cannot convert a symbolic tf.Tensor (loss:0) to a numpy array. This error may indicate"


def _error(text: str, line: int, *parties: Party, message: str = "", **fields: object) -> FrameworkError:
    source = Source(text)
    place = Frame(file=FILE, line=line, function="<module>", user=True, source=text.splitlines()[line - 1].strip())
    facts = ErrorFacts(place=place, parties=list(parties), **fields)  # type: ignore[arg-type]
    link = RaisedException(type="ValueError", module="tensorflow", message=message)
    return FrameworkError(facts, link, {FILE: source})


def _operand(text: str, *shape: int | None, **fields: object) -> Party:
    return Party(role="operand", text=text, shape=list(shape), **fields)  # type: ignore[arg-type]


def _put(error: FrameworkError, advice: Advice) -> list[str]:
    """The lines that the first change puts in."""
    text = patch(error.sources, advice.changes[0].edits, "/home/ann")
    assert text is not None
    return [line[1:] for line in text.splitlines()[2:] if line.startswith("+")]


def test_what_the_rule_of_an_op_accepts_is_offered_and_the_batch_stays_first() -> None:
    error = _error(
        "import tensorflow as tf\ny = tf.nn.conv2d(x, w, 1, 'SAME')\n",
        2,
        _operand("x", 4, 3, 28, 28),
        _operand("w", 3, 3, 3, 8),
        op="Conv2D",
        trials=[
            OperandTrial(kind="transpose", code="tf.transpose({x}, [0, 2, 3, 1])", at=0, shape=[4, 28, 28, 3], cost=2),
            OperandTrial(kind="transpose", code="tf.transpose({x}, [2, 0, 3, 1])", at=0, shape=[28, 4, 28, 3], cost=2),
        ],
    )
    advice = operand_changes(error, error.of_role("operand"))
    assert advice.sentences == ["`tf.transpose(x, [0, 2, 3, 1])` makes it (4, 28, 28, 3)."]
    assert _put(error, advice) == ["y = tf.nn.conv2d(tf.transpose(x, [0, 2, 3, 1]), w, 1, 'SAME')"]


def _sparse_loss(op: str, *trials: OperandTrial) -> Advice:
    text = "loss = f(labels, logits)\n"
    return accepted_shapes(
        _error(text, 1, _operand("labels", None, 1), _operand("logits", None, 8), op=op, trials=trials)
    )


def test_the_odd_axis_of_one_side_goes_before_the_other_side_gets_one() -> None:
    expanded = OperandTrial(kind="expand", code="tf.expand_dims({x}, 1)", at=1, shape=[None, 1, 8], cost=1)
    squeezed = OperandTrial(kind="squeeze", code="tf.squeeze({x}, -1)", at=0, shape=[None], cost=2)
    both = _sparse_loss("sparse_softmax_cross_entropy_with_logits", expanded, squeezed)
    assert both.sentences == ["`tf.squeeze(labels, -1)` makes it (None,)."]
    # An axis more of the same operand is no alternative to it, and the cheaper change stays.
    same = OperandTrial(kind="expand", code="tf.expand_dims({x}, 1)", at=0, shape=[None, 1, 1], cost=1)
    assert "expand_dims" in _sparse_loss("Select", same, squeezed).sentences[0]
    assert "expand_dims" in _sparse_loss("Select", expanded).sentences[0]


def test_of_two_odd_axes_that_of_the_labels_goes() -> None:
    trials = [
        OperandTrial(kind=kind, code=f"{kind}({{x}})", at=at, cost=1) for kind in ("expand", "squeeze") for at in (0, 1)
    ]
    assert _sparse_loss("log_loss", *trials).sentences == ["`squeeze(labels)` makes it of unknown shape."]
    # The op of the kernel has the labels last.
    assert "squeeze(logits)" in _sparse_loss("SparseSoftmaxCrossEntropyWithLogits", *trials).sentences[0]


def test_the_odd_axis_of_a_difference_goes() -> None:
    error = _error("import tensorflow as tf\nd = y - p\n", 2, _operand("y", 8, 4), _operand("p", 8, 4, 1), op="Sub")
    assert _put(error, operand_changes(error, error.of_role("operand"))) == ["d = y - tf.squeeze(p, -1)"]


def test_what_has_no_name_in_the_source_is_not_offered() -> None:
    trial = OperandTrial(kind="expand", code="tf.expand_dims({x}, 1)", at=0, shape=[4, 1], cost=1)
    assert not accepted_shapes(_error("f()\n", 1, _operand("", 4), op="Select", trials=[trial]))


def test_a_list_keeps_an_entry_for_each_axis() -> None:
    error = _error(
        "import tensorflow as tf\ny = tf.pad(kinds, [[0, missing], [0, 0]], constant_values=-1)\n",
        2,
        _operand("kinds", None),
        _operand("", 2, 2),
        op="PadV2",
        trials=[OperandTrial(kind="entries", code="1", cost=1)],
    )
    advice = accepted_shapes(error)
    assert advice.sentences == ["`[[0, missing]]` has an entry for each axis of `kinds`, which has 1 axis."]
    assert _put(error, advice) == ["y = tf.pad(kinds, [[0, missing]], constant_values=-1)"]


def test_a_cast_that_the_rule_accepts() -> None:
    label = _operand("y", 8, dtype="float32")
    trial = OperandTrial(kind="cast", code="tf.cast({x}, tf.int32)", at=0, cost=1)
    error = _error("import tensorflow as tf\nz = tf.one_hot(y, 3)\n", 2, label, op="OneHot", trials=[trial])
    assert _put(error, accepted_cast(error, label)) == ["z = tf.one_hot(tf.cast(y, tf.int32), 3)"]
    assert not accepted_cast(error, _operand("z", 8))


def _concatenated(axis: str, *shapes: list[int | None]) -> FrameworkError:
    layer = LayerFacts(name="concatenate", type="Concatenate", settings={"axis": axis})
    parties = [Party(role="input", text=name, shape=shape) for name, shape in zip("abc", shapes, strict=False)]
    text = f"AXIS = {axis}\nimport keras\nz = keras.layers.concatenate([a, b], axis=AXIS)\n"
    return _error(text, 3, *parties, message="requires inputs with matching shapes", layer=layer)


def test_values_that_fit_along_another_axis_only() -> None:
    error = _concatenated("1", [None, 24, 24, 16], [None, 24, 24, 8])
    found = _merged(error)
    assert found is not None
    advice = changes(found)
    assert advice.sentences == ["They fit along axis 3 only: `axis=-1` joins them to (None, 24, 24, 24)."]
    assert _put(error, advice) == ["AXIS = -1"]
    assert advice.frame is not None
    assert advice.frame.line == 1


def test_values_that_fit_along_no_axis_have_no_other_one() -> None:
    found = _merged(_concatenated("3", [None, 24, 24, 16], [None, 23, 23, 16]))
    assert found is not None
    assert not changes(found)


def test_an_input_without_an_axis_is_made_a_column() -> None:
    error = _concatenated("-1", [256], [256, 2])
    assert joined_changes(error).sentences == [
        "`tf.expand_dims(a, -1)` makes it (256, 1), a column, and the result is (256, 3)."
    ]
    assert not joined_changes(_concatenated("-1", [256, 1], [256, 2]))


def _sized(party: Party, *makers: ValueSource) -> Party:
    return Party(role="operand", text=party.text, shape=party.shape, size_makers=[[one] for one in makers])


def test_a_written_size_is_blamed_where_the_other_comes_from_data() -> None:
    frame = Frame(file=FILE, line=1, function="run", user=True)
    made = ValueSource(kind="variable", name="size", text="len(batch)", frame=frame)
    state = _sized(_operand("state", 3, 24), made, ValueSource(kind="size", name="STATE"))
    error = _error("size = len(batch)\nf()\n", 2, op="ConcatV2")
    found = made_size(Misfit("shape", error, _operand("words", 10, 16), state, ((0, 0, 10, 3),)))
    assert found is not None
    assert (found.frame, found.wanted) == (frame, 10)
    assert "`size` = `len(batch)` (line 1 of train.py), which is 3; it would have to be 10" in found.words
    both = Misfit("shape", error, _sized(_operand("words", 10, 16), made, made), state, ((0, 0, 10, 3),))
    assert made_size(both) is None


@pytest.mark.parametrize(
    ("kind", "line", "wanted"),
    [
        ("dict", 'words = batch["words"]', ['len(batch["words"])', 'len(batch["ids"])']),
        ("list", 'words = batch["words"]', []),
        ("dict", "words = batch.words", ['len(batch["ids"])']),
    ],
)
def test_the_length_of_a_dict_becomes_that_of_an_entry(kind: str, line: str, wanted: list[str]) -> None:
    locals_ = [Local(name="batch", type=kind, length=3), Local(name="words", type="numpy.ndarray", shape=[10, 7])]
    frame = Frame(file=FILE, line=2, function="run", user=True, locals=locals_)
    made = ValueSource(kind="variable", name="size", text="len(batch)", frame=frame)
    error = _error(f'def run(batch):\n    size = len(batch)\n    {line}\n    f(batch["ids"])\n', 4, op="ConcatV2")
    error = error._replace(link=msgspec.structs.replace(error.link, frames=[frame]))
    ways = entry_lengths(error, MadeSize(_operand("state", 3, 24), 0, 3, 10, made))
    assert sorted(way.edits[0].text for way in ways if way.edits) == sorted(wanted)
    assert not wanted or ways[0].words == f"write `{wanted[0]}`"


LOOP = """import tensorflow as tf
music = tf.zeros([1, 12])
music = tf.concat([music, notes], 0)
_, music = tf.while_loop(test, body, [count, music])
"""


def _loop(first: list[int | None], last: list[int | None], made: int = 3) -> Misfit:
    def at(line: int) -> list[ValueSource]:
        text = LOOP.splitlines()[line - 1]
        frame = Frame(file=FILE, line=line, function="<module>", user=True, source=text)
        return [ValueSource(kind="variable", name="zeros", frame=frame)]

    entered = Party(role="operand", shape=first, sources=at(2))
    left = Party(role="operand", shape=last, sources=at(made))
    variables = [Party(role="loop", shape=[]), Party(role="loop", shape=first, sources=at(2))]
    found = _looped(_error(LOOP, 4, entered, left, *variables, op="While"))
    assert found is not None
    return found


def test_a_loop_that_grows_a_variable_declares_its_size_open() -> None:
    found = _loop([1, 12], [2, 12])
    assert loop_words(found).startswith(
        "`music` enters the loop with the shape (1, 12) and has (2, 12) after one round"
    )
    assert _put(found.error, loop_changes(found)) == [
        "_, music = tf.while_loop(test, body, [count, music], "
        "shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 12])])"
    ]


def test_the_loop_of_a_recurrent_layer_begins_with_the_rows_of_the_batch() -> None:
    text = "start = tf.zeros([1, 5])\nlayers.RNN(cell)(x, initial_state=start)\n"
    entered, left = Party(role="operand", shape=[1, 5]), Party(role="operand", shape=[16, 5])
    found = _looped(_error(text, 2, entered, left, op="While"))
    assert found is not None
    advice = loop_changes(found)
    assert advice.sentences == [
        "Make the first state with the 16 rows of the batch: the loop is that of a recurrent layer."
    ]
    assert advice.changes == []


def test_a_loop_that_loses_an_axis_gets_it_back_where_the_value_is_made() -> None:
    found = _loop([None, 1], [None])
    assert _put(found.error, loop_changes(found)) == ["music = tf.expand_dims(tf.concat([music, notes], 0), -1)"]


def test_the_value_of_a_round_that_a_function_returns_in_one_of_its_branches() -> None:
    source = (
        "def pick(scores, draw):\n"
        "    if draw:\n"
        "        return tf.random.categorical(scores, 1)\n"
        "    return tf.argmax(scores, 1)\n"
        "tf.while_loop(test, lambda one: pick(one, True), [first])\n"
    )
    source = f"import tensorflow as tf\n{source}"

    def found(text: str = source) -> Misfit:
        frame = Frame(file=FILE, line=4, function="pick", user=True, source=text.splitlines()[3])
        made = [ValueSource(kind="variable", name="Multinomial", frame=frame)]
        left = Party(role="operand", shape=[None, 1], sources=made)
        one = _looped(_error(text, 6, Party(role="operand", shape=[None]), left, op="While"))
        assert one is not None
        return one

    advice = loop_changes(found())
    assert _put(found().error, advice) == ["        return tf.squeeze(tf.random.categorical(scores, 1), -1)"]
    assert advice.frame is not None
    assert advice.frame.line == 4
    assert advice.sentences[0].startswith("`tf.squeeze(tf.random.categorical(scores, 1), -1)`")
    # Of several values that are returned at once the right one is not known.
    several = source.replace("return tf.random.categorical(scores, 1)", "return 1, tf.random.categorical(scores, 1)")
    assert loop_changes(found(several)).changes == []


def test_no_loop_is_seen_in_another_op() -> None:
    assert _looped(_error("f()\n", 1, _operand("a", 1), _operand("b", 2), op="AddV2")) is None


def _beside(*shape: int) -> Misfit | None:
    error = _error("mean = loss * weights\n", 1, message=SYMBOLIC)
    operands = [
        Operand(text="loss", type="tensorflow.python.framework.ops.SymbolicTensor", shape=[None, 24, 24]),
        Operand(text="weights", type="numpy.ndarray", shape=list(shape)),
    ]
    link = RaisedException(type="NotImplementedError", module="builtins", message=SYMBOLIC, operands=operands)
    return _beside_array(error._replace(link=link))


def test_an_array_that_does_not_fit_a_tensor_is_a_matter_of_shapes() -> None:
    found = _beside(5)
    assert found is not None
    assert (found.kind, found.error.facts.op, found.axes) == ("shape", "Mul", ((2, 0, 24, 5),))
    assert _beside(24) is None


CHAIN = """for count in filters:
    x = Conv2D(count, 3)(x)
    x = Flatten()(x)
    x = Dense(16)(x)
y = Dense(4)(x)
"""


def _flattened(text: str) -> tuple[FrameworkError, Advice]:
    def layer(kind: str, line: int, given: list[int | None], made: list[int | None]) -> LayerFacts:
        frame = Frame(file=FILE, line=line, function="<module>", user=True)
        return LayerFacts(name=kind.lower(), type=kind, input_shape=given, output_shape=made, made=frame)

    layers = [layer("Flatten", 3, [None, 8, 8, 4], [None, 256]), layer("Dense", 4, [None, 256], [None, 16])]
    convolution = layer("Conv2D", 2, [], [])
    error = _error(text, 2, layer=convolution, layers=layers, wanted=InputWanted(least_rank=4))
    return error, lost_axes(error, [None, 16])


def test_a_flatten_in_the_loop_of_the_convolutions_goes_behind_it() -> None:
    error, advice = _flattened(CHAIN)
    assert advice.frame is not None
    assert advice.frame.line == 3
    assert _put(error, advice) == ["x = Flatten()(x)", "x = Dense(16)(x)"]


def test_a_flatten_outside_of_a_loop_is_left_to_others() -> None:
    assert not _flattened(CHAIN.replace("for count in filters:", "if True:"))[1]


def test_a_type_that_is_written_is_changed_where_the_value_is_made() -> None:
    text = "import tensorflow as tf\nscale = tf.constant(spans, tf.float32)\ny = x * scale\n"
    frame = Frame(file=FILE, line=2, function="<module>", user=True)
    made = ValueSource(kind="variable", name="scale", text="tf.constant(spans, tf.float32)", frame=frame)
    scale = _operand("scale", 5, dtype="float32", sources=[made])
    error = _error(text, 3, _operand("x", None, 5, dtype="float64"), scale, op="Mul")
    advice = written_type(error, scale, "float64")
    assert advice.frame == frame
    assert _put(error, advice) == ["scale = tf.constant(spans, tf.float64)"]
    assert not written_type(error, _operand("scale", 5, dtype="float16", sources=[made]), "float64")


def test_values_made_with_the_same_type_for_the_same_statement_are_changed_together() -> None:
    text = "b = tf.ones(5, tf.float32)\na = tf.ones(5, tf.float32)\nc = tf.ones(5, tf.float32)\nz = x * a + x * b\n"
    frame = Frame(file=FILE, line=2, function="<module>", user=True)
    made = ValueSource(kind="variable", name="a", text="tf.ones(5, tf.float32)", frame=frame)
    party = _operand("a", 5, dtype="float32", sources=[made])
    error = _error(text, 4, _operand("x", None, 5, dtype="float64"), party, op="Mul")
    advice = written_type(error, party, "float64")
    assert "(and `b` on line 1)" in advice.sentences[0]
    assert _put(error, advice) == ["b = tf.ones(5, tf.float64)", "a = tf.ones(5, tf.float64)"]


def test_rows_that_are_taken_for_columns() -> None:
    source = Source("def loss(y, z):\n    a = y[2] - z[2]\n    return a + y[5] - z[5]\n")
    edits = column_edits(source, FILE, 3, "y", 6)
    assert edits is not None
    text = patch({FILE: source}, edits, "/home/ann") or ""
    assert "+    a = y[:, 2] - z[:, 2]" in text
    assert "+    return a + y[:, 5] - z[:, 5]" in text
    assert column_edits(source, FILE, 3, "y", 5) is None


def test_a_data_set_of_single_samples_is_known_by_its_targets() -> None:
    x, y = Party(role="element", text="data", shape=[None]), Party(role="label", text="data", shape=[])
    assert single_samples(_error("model.fit(data)\n", 1, x, y, call="fit")) == x
    batched = Party(role="label", text="data", shape=[None])
    assert single_samples(_error("model.fit(data)\n", 1, x, batched, call="fit")) is None


STATES = "states = [outputs, state]\ndecoded = decoder(x, initial_state=states)\n"


def _decoder(*states: list[int | None]) -> FrameworkError:
    layer = LayerFacts(name="decoder", type="GRU", settings={"units": "20"})
    parties = [Party(role="input", shape=shape) for shape in ([None, None, 16], *states)]
    return _error(STATES, 2, *parties, layer=layer)


def test_states_that_a_recurrent_layer_does_not_have() -> None:
    error = _decoder([None, None, 20], [None, 20])
    found = given_states(error)
    assert found is not None
    assert found.words.endswith("has 1 state of the shape (None, 20), but was given (None, None, 20) and (None, 20)")
    assert _put(error, states_advice(error, found)) == ["states = [state]"]
    assert given_states(_decoder([None, 20])) is None


CROPPED = """import keras
a = keras.layers.Conv2D(8, 3, padding="same")(inputs)
b = keras.layers.Cropping2D(((1, 0), (0, 0)))(a)
z = keras.layers.concatenate([a, b], axis=3)
"""


def _cropped(kind: str, settings: dict[str, str], gives: list[int | None], shared: bool = False) -> FrameworkError:
    def at(line: int) -> Frame:
        return Frame(file=FILE, line=line, function="<module>", user=True)

    whole: list[int | None] = [None, 16, 16, 8]
    entrance = LayerFacts(name="inputs", type="InputLayer", output_shape=whole)
    first = LayerFacts(
        name="conv", type="Conv2D", output_shape=whole, inputs=["inputs"], made=at(2),
        settings={"filters": "8", "kernel_size": "(3, 3)", "padding": "same", "strides": "(1, 1)"},
    )  # fmt: skip
    crop = LayerFacts(name="crop", type=kind, output_shape=gives, inputs=["conv"], made=at(3), settings=settings)
    other = LayerFacts(name="drop", type="Dropout", output_shape=gives, inputs=["crop"])
    join = LayerFacts(name="concatenate", type="Concatenate", settings={"axis": "3"})
    parties = [Party(role="input", text="a", shape=whole), Party(role="input", text="b", shape=gives)]
    layers = [entrance, first, crop, other] if shared else [entrance, first, crop]
    said = "requires inputs with matching shapes"
    return _error(CROPPED, 4, *parties, message=said, layer=join, layers=layers)


def test_a_layer_without_which_the_values_fit_is_left_out() -> None:
    error = _cropped("Cropping2D", {"cropping": "((1, 0), (0, 0))"}, [None, 15, 16, 8])
    found = _merged(error)
    assert found is not None
    advice = changes(found)
    assert advice.sentences == [
        'Without Cropping2D "crop" (line 3 of train.py) the values fit, and are joined to (None, 16, 16, 16).'
    ]
    assert _put(error, advice) == ["b = a"]
    assert advice.frame is not None
    assert advice.frame.line == 3


def test_a_layer_is_not_left_out_where_the_values_do_not_fit_without_it() -> None:
    # What comes in is no wider than what the other side has, so the cut is not the only difference.
    error = _cropped("Cropping2D", {"cropping": "((1, 0), (0, 0))"}, [None, 15, 16, 8])
    (first, second), facts = error.facts.parties, error.facts
    other = msgspec.structs.replace(first, shape=[None, 14, 16, 8])
    found = _merged(error._replace(facts=msgspec.structs.replace(facts, parties=[other, second])))
    assert found is not None
    assert not any("Without" in one for one in changes(found).sentences)


def test_pictures_are_not_put_below_each_other() -> None:
    found = _merged(_concatenated("3", [None, 24, 24, 16], [None, 23, 24, 16]))
    assert found is not None
    assert not changes(found)


def test_pictures_for_a_product_are_laid_out_as_rows() -> None:
    text = "n = 28\nx = tf.placeholder(tf.float32, [None, n, n])\nw = weights(n * n, 32)\nh = tf.matmul(x, w)\n"
    size = ValueSource(kind="size", name="n", text="28", frame=_line(1))
    made = ValueSource(kind="weight", name="w", text="weights(n * n, 32)", frame=_line(3))
    x = _operand("x", None, 28, 28, size_makers=[[], [], [size]])
    w = _operand("w", 784, 32, sources=[made])
    error = _error(text, 4, x, w, op="BatchMatMulV2")
    found = Misfit("shape", error, x, w, ((2, 0, 28, 784),))
    # `n` makes both sizes: with another number they would still not agree.
    assert made_size(found) is None
    advice = changes(found)
    assert advice.sentences == [
        "`tf.reshape(x, [-1, 784])` makes it (None, 784), each sample as one row, and the result is (None, 32)."
    ]
    assert _put(error, advice)[-1] == "h = tf.matmul(tf.reshape(x, [-1, 784]), w)"


def _line(number: int) -> Frame:
    return Frame(file=FILE, line=number, function="<module>", user=True)
