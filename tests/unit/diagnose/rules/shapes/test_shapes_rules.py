"""The rules about shapes and types on hand-built facts, with near misses."""

from __future__ import annotations

import msgspec

from tests.unit.diagnose.case_of import FILE, case_of
from whydied.diagnose.case import Case
from whydied.diagnose.errors.framework_error import FrameworkError
from whydied.diagnose.errors.layer_changes import layer_changes
from whydied.diagnose.errors.misfit import (
    Misfit,
    _input,
    _inputs,
    _into_model,
    _listed,
    _merged,
    _operation,
    _target,
    _types,
)
from whydied.diagnose.errors.shape_advice import changes
from whydied.diagnose.errors.target_causes import listed_verdict
from whydied.diagnose.rules.shapes import rank_mismatch
from whydied.diagnose.rules.shapes.shape_mismatch import _of_unknown
from whydied.diagnose.rules.shapes.wrong_input_shape import _parts
from whydied.records import (
    ErrorFacts,
    ExceptionRaised,
    Frame,
    InputWanted,
    LayerFacts,
    Operand,
    Party,
    RaisedException,
    ValueSource,
)
from whydied.shapes.shape import unbroadcast


def _error(message: str, *parties: Party, **fields: object) -> FrameworkError:
    link = RaisedException(type="InvalidArgumentError", module="tensorflow", message=message)
    place = Frame(file=FILE, line=3, function="<module>", user=True)
    return FrameworkError(ErrorFacts(place=place, parties=list(parties), **fields), link)  # type: ignore[arg-type]


def _operand(text: str, *shape: int | None, dtype: str = "float32", role: str = "operand") -> Party:
    return Party(role=role, text=text, shape=list(shape), dtype=dtype)


def test_an_axis_is_counted_in_its_own_shape() -> None:
    assert unbroadcast([4, 10, 10], [10, 20]) == ((2, 1, 10, 20),)
    assert unbroadcast([4, 1], [3]) == ()
    assert unbroadcast([None, 3], [7, 3]) == ()


def test_a_sum_of_shapes_that_fit_is_no_misfit() -> None:
    assert _operation(_error("Incompatible", _operand("a", 4, 1), _operand("b", 3), op="AddV2")) is None


def test_a_product_names_the_inner_axes_and_the_transpose_that_fits() -> None:
    error = _error("", _operand("a", 5, 100, 3), _operand("b", 5, 100, 3), op="BatchMatMulV2")
    found = _operation(error)
    assert found is not None
    assert found.axes == ((2, 1, 3, 100),)
    assert changes(found).sentences == [
        "`transpose_b=True` makes it fit, and the result is (5, 100, 100); or `transpose_a=True` makes it fit, "
        "and the result is (5, 3, 3)."
    ]


def test_a_product_that_is_transposed_already_fits() -> None:
    parties = _operand("a", 2, 3), _operand("b", 4, 3)
    assert _operation(_error("", *parties, op="MatMul", transposed=[False, True])) is None


def test_a_vector_in_a_product_is_a_matter_of_rank() -> None:
    found = _operation(_error("", _operand("a", 3), _operand("b", 3, 2), op="MatMul"))
    assert found is not None
    assert found.kind == "rank"


def test_types_differ_only_where_the_error_is_about_them() -> None:
    parties = _operand("a", 2), _operand("b", 2, dtype="int32")
    said = "cannot compute AddV2 as input #1(zero-based) was expected to be a float tensor but is a int32 tensor"
    found = _types(_error(said, *parties, op="AddV2"))
    assert found is not None
    assert found.second is not None
    assert (found.kind, found.second.text) == ("dtype", "b")
    assert _types(_error("something else", *parties, op="AddV2")) is None


def test_a_target_that_fits_its_output_is_no_misfit() -> None:
    said = "Incompatible shapes"
    fits = _operand("y", 32, 1, role="target"), _operand("", 32, role="output")
    assert _target(_error(said, *fits, loss="mse")) is None
    sparse = _operand("y", 32, role="target"), _operand("", 32, 5, role="output")
    assert _target(_error(said, *sparse, loss="sparse_categorical_crossentropy")) is None
    wide = _operand("y", 32, 3, role="target"), _operand("", 32, 5, role="output")
    found = _target(_error(said, *wide, loss="mse"))
    assert found is not None
    assert found.axes == ((1, 1, 3, 5),)


def _kind(found: Misfit | None) -> str | None:
    return found.kind if found is not None else None


def test_the_input_of_a_model_by_rank_by_size_and_by_count() -> None:
    wanted = InputWanted(shape=[None, 784])
    assert _kind(_input(_error("", _operand("x", 32, 28, 28, role="input"), wanted=wanted))) == "input"
    assert _kind(_input(_error("", _operand("x", 784, role="input"), wanted=wanted))) == "rank"
    assert _kind(_input(_error("", _operand("x", 32, 9, role="input"), wanted=wanted))) == "input"
    assert _input(_error("", _operand("x", 32, 784, role="input"), wanted=wanted)) is None


def test_what_another_layer_gave_is_a_mismatch_of_shapes() -> None:
    wanted = InputWanted(axes={"-1": 64})
    feeding = LayerFacts(name="dense", type="Dense")
    error = _error("", _operand("", 8, 96, role="input"), wanted=wanted, feeding=feeding)
    assert _kind(_input(error)) == "shape"


def test_inputs_that_are_concatenated_may_differ_along_the_axis() -> None:
    layer = LayerFacts(name="c", type="Concatenate", settings={"axis": "-1"})
    said = "requires inputs with matching shapes"
    free = _operand("a", 4, 20, 8, role="input"), _operand("b", 4, 20, 3, role="input")
    assert _merged(_error(said, *free, layer=layer)) is None
    tied = _operand("a", 4, 20, 8, role="input"), _operand("b", 4, 19, 8, role="input")
    assert _kind(_merged(_error(said, *tied, layer=layer))) == "shape"


def test_no_change_is_offered_for_sizes_that_are_not_known() -> None:
    error = _error("", _operand("left", None, 8), _operand("right", None, 7), op="Sub")
    found = _operation(error)
    assert found is not None
    assert changes(found).sentences == []
    error = _error("", _operand("left", 2, 8), _operand("right", 8, 2), op="Sub")
    found = _operation(error)
    assert found is not None
    assert changes(found).sentences == [
        "`tf.transpose(left)` makes it (8, 2), and the result is (8, 2); or `tf.transpose(right)` makes it (2, 8), and "
        "the result is (2, 8)."
    ]


def test_sizes_that_only_the_running_graph_knew_are_taken_from_the_error() -> None:
    said = "Matrix size-incompatible: In[0]: [3,5], In[1]: [6,2]"
    found = _operation(_error(said, _operand("rows", None, None), _operand("weights", 6, 2), op="MatMul"))
    assert found is not None
    assert found.first is not None
    assert (found.first.shape, found.axes) == ([3, 5], ((1, 0, 5, 6),))
    other = "Matrix size-incompatible: In[0]: [3,5], In[1]: [7,2]"
    assert _operation(_error(other, _operand("rows", None, None), _operand("weights", 6, 2), op="MatMul")) is None


def test_operators_that_refuse_types_before_there_is_an_op() -> None:
    error = _error("`x` and `y` must have the same dtype, got tf.int32 != tf.float32.")
    operands = [
        Operand(text="count", type="tensorflow.SymbolicTensor", shape=[], dtype="int32"),
        Operand(text="total", type="tensorflow.SymbolicTensor", shape=[], dtype="float32"),
    ]
    error = error._replace(link=msgspec.structs.replace(error.link, operands=operands))
    found = _types(error)
    assert found is not None
    assert found.first is not None
    assert found.second is not None
    assert (found.first.text, found.second.text) == ("count", "total")


def _size(text: str, number: int, *sources: ValueSource) -> Party:
    return Party(role="size", text=text, lowest=number, highest=number, sources=list(sources))


def test_the_size_of_a_reshape_that_would_have_to_be_another() -> None:
    made = ValueSource(kind="variable", name="width", text="6 * 6 * 16", frame=Frame(file=FILE, line=2, function="f"))
    sizes = _size("-1", -1), _size("width", 576, made)
    parties = _operand("maps", None, 8, 8, 16), _operand("[-1, width]", 2, dtype="int32"), *sizes
    found = _operation(_error("Input to reshape", *parties, op="Reshape"))
    assert found is not None
    assert changes(found).sentences == [
        "`width` is 576 and would have to be 1024 to reshape `maps` (None, 8, 8, 16) to (None, 1024); `width` is "
        "`6 * 6 * 16` on line 2 of train.py."
    ]


def test_the_width_before_a_reshape_where_no_size_can_be_another() -> None:
    made = ValueSource(
        kind="variable", name="inner", text="dense(code, 50)", frame=Frame(file=FILE, line=2, function="f")
    )
    inner = Party(role="operand", text="inner", shape=[None, 50], sources=[made])
    sizes = _size("-1", -1), _size("7", 7), _size("7", 7), _size("1", 1)
    found = _operation(_error("Input to reshape", inner, _operand("shape", 4), *sizes, op="Reshape"))
    assert found is not None
    assert changes(found).sentences == [
        "Each row needs 49 values (7 x 7 x 1), and `inner` has 50: make it 49 wide on line 2 of train.py, "
        "`dense(code, 50)`."
    ]


def test_feeds_of_different_lengths() -> None:
    feeds = [Party(role="feed", text=text, shape=[rows, 24]) for text, rows in (("words", 27), ("masks", 32))]
    parties = _operand("losses", 27, 24), _operand("masks", 32, 24)
    found = _operation(_error("Incompatible shapes", *parties, *feeds, op="Mul"))
    assert found is not None
    assert changes(found).sentences == [
        "This run was fed 27 rows for `words` and 32 rows for `masks`: feed the same rows for all placeholders."
    ]


def test_a_batch_of_vectors_is_not_transposed() -> None:
    found = _operation(_error("", _operand("a", 40, 49, 16), _operand("b", 40, 16), op="BatchMatMulV2"))
    assert found is not None
    assert changes(found).sentences == ["`tf.expand_dims(b, -1)` makes it (40, 16, 1), and the result is (40, 49, 1)."]


def test_a_weight_of_another_size() -> None:
    made = ValueSource(kind="weight", name="self.w", text="add_weight", frame=Frame(file=FILE, line=2, function="f"))
    weight = Party(role="operand", text="self.w", shape=[6, 2], sources=[made])
    found = _operation(_error("", _operand("hidden", None, 8), weight, op="MatMul"))
    assert found is not None
    assert changes(found).sentences == [
        "`self.w` (line 2 of train.py) with the shape (8, 2) goes with (None, 8), and the product is (None, 2)."
    ]


def test_a_reshape_layer_with_another_size_and_the_input_that_fits() -> None:
    entrance = LayerFacts(name="strip", type="InputLayer", output_shape=[None, 80, 80, 1])
    pool = LayerFacts(
        name="pool", type="MaxPooling2D", inputs=["strip"], output_shape=[None, 20, 20, 1],
        settings={"pool_size": "(4, 4)", "strides": "(4, 4)"},
    )  # fmt: skip
    reshape = LayerFacts(name="reshape", type="Reshape", settings={"target_shape": "(20, 10)"})
    error = _error("", _operand("x", None, 20, 20, 1, role="input"), layer=reshape, layers=[entrance, pool])
    assert error.facts.layer is not None
    assert changes(Misfit("shape", error, error.facts.parties[0])).sentences == [
        "Either `Reshape((20, 20))` takes all values; or `Input((40, 80, 1))` fits it; or `Input((80, 40, 1))` fits it."
    ]


def test_labels_that_a_session_was_fed() -> None:
    made = ValueSource(kind="placeholder", name="y", frame=Frame(file=FILE, line=2, function="f"))
    logits = _operand("logits", None, 10)
    labels = Party(role="operand", text="y", dtype="int64", sources=[made])
    fed = Party(role="feed", text="y", shape=[50, 10], one_hot=True)
    op = "SparseSoftmaxCrossEntropyWithLogits"
    found = _target(_error("labels must be 1-D, but got shape [50,10]", logits, labels, fed, op=op))
    assert found is not None
    assert found.first is not None
    assert (found.kind, found.first.shape) == ("target", [50, 10])


def test_a_size_that_the_input_left_open() -> None:
    entrance = LayerFacts(name="picture", type="InputLayer", output_shape=[None, None, None, 3])
    flat = LayerFacts(
        name="flatten", type="Flatten", inputs=["picture"], input_shape=[None, None, None, 3], output_shape=[None, None]
    )
    dense = LayerFacts(name="dense", type="Dense", settings={"units": "4"})
    error = _error("", _operand("x", None, None, role="input"), layer=dense, layers=[entrance, flat])
    assert changes(Misfit("shape", error, error.facts.parties[0])).sentences == [
        'Use `GlobalAveragePooling2D()` in the place of Flatten "flatten"; or give InputLayer "picture" sizes in the '
        "place of None, if all pictures have the same size."
    ]


def test_two_sides_that_are_added() -> None:
    layers = [
        LayerFacts(name="x", type="InputLayer", output_shape=[None, 8]),
        LayerFacts(name="a", type="Dense", inputs=["x"], output_shape=[None, 16], settings={"units": "16"}),
        LayerFacts(name="b", type="Dense", inputs=["a"], output_shape=[None, 4], settings={"units": "4"}),
    ]
    add = LayerFacts(name="add", type="Add")
    parties = _operand("a", None, 16, role="input"), _operand("b", None, 4, role="input")
    found = _merged(_error("Inputs have incompatible shapes", *parties, layer=add, layers=layers))
    assert found is not None
    assert changes(found).sentences == ['`units=16` in Dense "b" gives both sides 16 on axis 1.']


def test_of_two_branches_either_side_may_change_and_neither_is_the_place() -> None:
    made = [Frame(file=FILE, line=line, function="f", user=True) for line in (4, 5)]
    layers = [
        LayerFacts(name="x", type="InputLayer", output_shape=[None, 8]),
        LayerFacts(
            name="a", type="Dense", inputs=["x"], output_shape=[None, 16], settings={"units": "16"}, made=made[0]
        ),
        LayerFacts(name="b", type="Dense", inputs=["x"], output_shape=[None, 4], settings={"units": "4"}, made=made[1]),
    ]
    parties = _operand("a", None, 16, role="input"), _operand("b", None, 4, role="input")
    add = LayerFacts(name="add", type="Add")
    found = _merged(_error("Inputs have incompatible shapes", *parties, layer=add, layers=layers))
    assert found is not None
    assert changes(found).frame is None
    assert len(changes(found).sentences[0].split("; or ")) == 2
    own = LayerFacts(name="a", type="Mixer", inputs=["x"], input_shape=[None, 8], output_shape=[None, 16], made=made[0])
    facts = msgspec.structs.replace(found.error.facts, layers=[layers[0], own, layers[2]])
    alone = changes(found._replace(error=found.error._replace(facts=facts)))
    assert alone.frame == made[1]


def test_a_state_that_is_wider_than_the_units() -> None:
    made = Frame(file=FILE, line=7, function="__init__", user=True)
    cell = LayerFacts(name="lstm_cell", type="LSTMCell", settings={"units": "10"}, made=made)
    parties = _operand("", 8, 20), _operand("", 10, 40)
    found = _operation(_error("", *parties, op="MatMul", layer=cell))
    assert found is not None
    assert changes(found).sentences == ["Its state is 20 wide and it has 10 units: `LSTM(20)` takes it."]
    assert changes(found).frame == made


def test_all_rows_in_a_loss_of_a_batch() -> None:
    x = _operand("voltages", 240, 3, role="x")
    parties = _operand("y_pred", 20, 3), _operand("inputs", 240, 3), x
    found = _operation(_error("", *parties, op="Sub", call="fit"))
    assert found is not None
    assert (
        changes(found).sentences[0].startswith("`inputs` has all 240 rows of `voltages`, and a step sees a batch of 20")
    )


def test_values_that_are_multiplied_one_by_one_where_a_product_fits() -> None:
    found = _operation(_error("", _operand("rows", None, 3), _operand("weights", 3, 2), op="Mul"))
    assert found is not None
    told = changes(found).sentences[0]
    assert "`tf.expand_dims(rows, -1)`" in told
    assert "(None, 3, 2)" in told


def test_weights_of_steps_for_a_loss_of_rows() -> None:
    weights = _operand("known", 90, 24, role="weight")
    parties = _operand("", 15), _operand("", 15, 24), weights
    found = _target(_error("Incompatible shapes", *parties, op="Mul", node="compile_loss/mse/mul", call="fit"))
    assert found is not None
    assert (found.kind, found.first) == ("target", weights)
    fits = _operand("", 15, 24), _operand("", 15, 24), weights
    assert _target(_error("Incompatible shapes", *fits, op="Mul", node="compile_loss/mse/mul", call="fit")) is None


def test_a_list_of_numbers_as_targets() -> None:
    labels = Party(role="y", text="[1] * rows", type="list", held=["int"])
    found = _listed(_error("'int' object has no attribute 'shape'", labels, call="train_on_batch"))
    assert found is not None
    assert listed_verdict(found.error, labels).advice.sentences == ["Pass an array: `np.array([1] * rows)`."]
    assert _listed(_error("", labels)) is None
    assert _listed(_error("", msgspec.structs.replace(labels, held=[]), call="fit")) is None


def test_data_that_are_not_as_the_input_says_are_told_before_an_op_of_a_layer() -> None:
    entrance = LayerFacts(
        name="input", type="InputLayer", output_shape=[None, 8], made=Frame(file=FILE, line=2, function="f")
    )
    dense = LayerFacts(name="dense", type="Dense", settings={"units": "1"}, inputs=["input"])
    parties = _operand("", None, None), _operand("", 8, 1), _operand("table", 8, 50, role="x")
    error = _error(
        "Matrix size-incompatible: In[0]: [8,50], In[1]: [8,1]", *parties, op="MatMul", call="predict",
        layers=[entrance, dense], model="Sequential",
    )  # fmt: skip
    found = _into_model(error)
    assert found is not None
    assert found.first is not None
    assert (found.kind, found.first.text, found.axes) == ("input", "table", ((1, 1, 8, 50),))
    told = layer_changes(found.error, found.first, found.first.shape or [], trained=True)
    assert told.sentences == ["The axes are in the wrong order: `table.T` makes it (50, 8)."]


def test_a_product_without_words_for_it_is_transposed_by_hand() -> None:
    place = Frame(file=FILE, line=3, function="f", source="c = a @ b")
    parties = _operand("a", 5, 3), _operand("b", 5, 4)
    error = _error("", *parties, op="MatMul")
    error = error._replace(facts=msgspec.structs.replace(error.facts, place=place))
    found = _operation(error)
    assert found is not None
    assert changes(found).sentences == ["`tf.transpose(a)` makes it (3, 5), and the product is (3, 4)."]


def test_rows_of_different_lengths_that_are_stacked() -> None:
    found = _operation(_error("", _operand("", 3), _operand("", 2), op="Pack"))
    assert found is not None
    assert changes(found).sentences[0].startswith("`tf.ragged.stack` takes rows of different lengths")


def test_another_number_of_arrays_than_inputs() -> None:
    entrances = [
        LayerFacts(name=name, type="InputLayer", output_shape=[None, size]) for name, size in (("a", 6), ("b", 4))
    ]
    table = _operand("table", 30, 10, role="x")
    error = _error("", table, layers=entrances, call="fit", raiser="assert_input_compatibility")
    assert _kind(_inputs(error)) == "inputs"
    assert _parts(error, table, entrances).sentences == [
        "Its 10 columns are as many as those of all inputs: `[table[:, :6], table[:, 6:]]` passes each its own."
    ]
    other = _parts(error, _operand("table", 30, 9, role="x"), entrances)
    assert other.sentences == ["Pass a list with one array for each: `[a, b]`."]
    one = _error("", table, layers=entrances[:1], call="fit", raiser="assert_input_compatibility")
    assert _inputs(one) is None


def _died_of(error: FrameworkError) -> Case:
    link = msgspec.structs.replace(error.link, frames=[Frame(file=FILE, line=5, function="<module>", user=True)])
    return case_of(process=[ExceptionRaised(where="main", chain=[link]), error.facts], exit_code=1)


def test_the_line_of_the_input_that_left_a_size_open() -> None:
    made = Frame(file=FILE, line=1, function="<module>", user=True)
    entrance = LayerFacts(name="picture", type="InputLayer", output_shape=[None, None, None, 3], made=made)
    dense = LayerFacts(name="dense", type="Dense", settings={"units": "4"})
    said = "The last dimension of the inputs to `Dense` should be defined"
    error = _error(said, _operand("", None, None, role="input"), layer=dense, layers=[entrance], raiser="build")
    found = Misfit("shape", error, error.facts.parties[0])
    assert _of_unknown(found) == made
    sized = msgspec.structs.replace(entrance, output_shape=[None, 8, 8, 3])
    closed = _error(said, _operand("", None, None, role="input"), layer=dense, layers=[sized], raiser="build")
    assert _of_unknown(Misfit("shape", closed, closed.facts.parties[0])) is None


def test_what_a_python_function_gives_has_no_known_axes() -> None:
    made = ValueSource(kind="op", name="PyFunc", frame=Frame(file=FILE, line=1, function="turn", user=True))
    element = Party(role="element", text="train", shape=None, dtype="float32", sources=[made])
    said = "as_list() is not defined on an unknown TensorShape."
    found = rank_mismatch.check(_died_of(_error(said, element, raiser="as_list", call="fit")))
    assert found is not None
    assert found.message == (
        "train.py:1: what PyFunc gives has no known shape, so the elements of `train` have no known number of axes, "
        "which fit needs"
    )
    known = msgspec.structs.replace(element, shape=[None, 4])
    assert rank_mismatch.check(_died_of(_error(said, known, raiser="as_list", call="fit"))) is None
    assert rank_mismatch.check(_died_of(_error("other", element, raiser="convert", call="fit"))) is None
