"""What a program could have given instead of what a library refused."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.case import Case
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.framework.refused_argument import check
from whydied.records import ApiCalled, Argument, CallRefused, Demanded, Frame, Operand, Record, ValueSource
from whydied.source.text import Source


def _at(line: int) -> Frame:
    return Frame(file=FILE, line=line, function="<module>", user=True)


def _case(source: str, number: int, kind: str, message: str, *facts: Record, **fields: object) -> Case:
    case = case_of(exit_code=1, process=[*facts, raised(kind, message, number=number, **fields)])
    case.recording.sources[FILE] = Source(source)
    return case


def _patch(case: Case) -> tuple[int, list[list[str]]]:
    found: Finding | None = check(case)
    assert found is not None
    assert found.location is not None
    return found.location.line, patches_of(case, found)


def _called(call: str, line: int, *arguments: Argument) -> ApiCalled:
    name = call.partition("(")[0]
    return ApiCalled(link=0, callee=name, function=f"keras.{name}", call=call, frame=_at(line), arguments=[*arguments])


def test_a_variable_that_was_tried_against_the_condition() -> None:
    call = "Checkpoint(model=make_model)"
    wanted = Demanded(kind="type", text="obj", type="function", parameter="model", offers=["model"])
    refused = CallRefused(link=0, function="tensorflow.check", demands=[wanted], frame=_at(1))
    argument = Argument(parameter="model", text="make_model")
    case = _case(f"saved = {call}\n", 1, "ValueError", "not trackable", _called(call, 1, argument), refused)
    assert _patch(case) == (1, [[f"-saved = {call}", "+saved = Checkpoint(model=model)"]])


def test_all_items_of_a_list_that_are_of_the_refused_type() -> None:
    call = "concatenate([left, right], axis=1)"
    wanted = Demanded(kind="", text="arg", type="keras.Model", parameter="inputs", part="[0]", offers=["{}.output"])
    refused = CallRefused(link=0, function="keras.Layer.__call__", demands=[wanted], frame=_at(1))
    argument = Argument(parameter="inputs", text="[left, right]", position=0, held=["keras.Model"])
    case = _case(f"x = {call}\n", 1, "ValueError", "only tensors", _called(call, 1, argument), refused)
    right = "concatenate([left.output, right.output], axis=1)"
    assert _patch(case) == (1, [[f"-x = {call}", f"+x = {right}"]])


NAMES = 'LOSSES = {"value": "mse", "broken": "bce"}\nmodel.fit(x, y)\n'


def test_keys_beside_the_ones_that_are_expected() -> None:
    message = "Expected keys ['value_head', 'broken_head'] in loss dict, but found loss.keys()=['value', 'broken']"
    line, patches = _patch(_case(NAMES, 2, "ValueError", message))
    assert line == 1
    assert patches[0][1] == '+LOSSES = {"value_head": "mse", "broken_head": "bce"}'
    far = message.replace("value_head", "zzz")
    assert check(_case(NAMES, 2, "ValueError", far)) is None


def test_an_argument_that_another_method_needs() -> None:
    source = 'model.compile("adam")\nmodel.fit(x, y)\n'
    message = "No loss to compute. Provide a `loss` argument in `compile()`."
    assert _patch(_case(source, 2, "ValueError", message)) == (
        1,
        [['-model.compile("adam")', '+model.compile("adam", loss="mse")']],
    )
    given = source.replace('"adam"', '"adam", loss="mse"')
    assert check(_case(given, 2, "ValueError", message)) is None


def test_layers_of_one_name() -> None:
    message = "All layers should have unique names. Name 'unit' is already the name of a layer in this model."
    source = 'for _ in range(2):\n    model.add(Dense(3, name="unit"))\n'
    refused = CallRefused(link=0, function="keras.Sequential.add", frame=_at(2))
    case = _case(source, 2, "ValueError", message, refused)
    assert _patch(case) == (2, [['-    model.add(Dense(3, name="unit"))', "+    model.add(Dense(3))"]])
    default = "class Unit(Layer):\n    def __init__(self, name='unit'):\n        pass\n"
    case = _case(default, 2, "ValueError", message, refused)
    assert _patch(case)[1] == [["-    def __init__(self, name='unit'):", "+    def __init__(self, name=None):"]]


def test_an_array_of_another_dtype() -> None:
    call = "interpreter.set_tensor(0, batch)"
    message = "Cannot set tensor: Got value of type FLOAT64 but expected type FLOAT32 for input 0"
    argument = Argument(parameter="value", text="batch", position=1, type="numpy.ndarray", dtype="float64")
    source = f"import numpy as np\n{call}\n"
    case = _case(source, 2, "ValueError", message, _called(call, 2, argument))
    assert _patch(case)[1] == [[f"-{call}", "+interpreter.set_tensor(0, batch.astype(np.float32))"]]


def test_one_variable_in_a_zip() -> None:
    call = "opt.apply_gradients(zip(grad, std))"
    operand = Operand(text="std", type="tensorflow.ResourceVariable")
    case = _case(f"{call}\n", 1, "AttributeError", "no _unique_id", _called(call, 1), operands=[operand])
    assert _patch(case)[1] == [[f"-{call}", "+opt.apply_gradients([(grad, std)])"]]
    several = Operand(text="std", type="list")
    assert check(_case(f"{call}\n", 1, "AttributeError", "no", _called(call, 1), operands=[several])) is None


def test_a_loop_that_counts_what_has_no_number() -> None:
    source = "for step, (x, y) in data:\n    pass\n"
    message = "too many values to unpack (expected 2)"
    assert _patch(_case(source, 1, "ValueError", message))[1] == [
        ["-for step, (x, y) in data:", "+for step, (x, y) in enumerate(data):"]
    ]
    counted = source.replace("in data", "in enumerate(data)")
    assert check(_case(counted, 1, "ValueError", message)) is None


def test_a_function_that_is_passed_on_is_called_where_the_program_passes_it() -> None:
    source = "def train(batches):\n    model.fit(batches)\ntrain(read)\n"
    call = "model.fit(batches)"
    passed = ValueSource(kind="parameter", name="batches", text="read", frame=_at(3))
    wanted = Demanded(kind="type", text="x", type="function", parameter="x", offers=["{}()"])
    refused = CallRefused(link=0, function="keras.get_data_adapter", demands=[wanted], frame=_at(2))
    argument = Argument(parameter="x", text="batches", position=0, sources=[passed])
    case = _case(source, 2, "ValueError", "Unrecognized data type", _called(call, 2, argument), refused)
    assert _patch(case) == (3, [["-train(read)", "+train(read())"]])


def test_a_class_that_is_called_before_a_method_of_the_class() -> None:
    message = "Can't instantiate abstract class DatasetV2 with abstract methods _inputs, element_spec"
    source = "data = tf.data.Dataset().range(3)\n"
    assert _patch(_case(source, 1, "TypeError", message))[1] == [
        ["-data = tf.data.Dataset().range(3)", "+data = tf.data.Dataset.range(3)"]
    ]
    assert check(_case("data = Own()\n", 1, "TypeError", message)) is None


def test_a_saver_outside_of_the_graph_that_has_the_variables() -> None:
    source = "with graph.as_default():\n    build()\nsaver = tf.train.Saver()\n"
    assert _patch(_case(source, 3, "ValueError", "No variables to save"))[1] == [
        ["-saver = tf.train.Saver()", "+with graph.as_default():", "+    saver = tf.train.Saver()"]
    ]
    assert check(_case("saver = tf.train.Saver()\n", 1, "ValueError", "No variables to save")) is None


def test_only_names_that_one_side_lacks_are_paired() -> None:
    source = 'LOSSES = {"price": "mse", "type": "bce"}\nmodel.fit(x, {"price": p, "kind": k})\n'
    message = "Expected keys ['price', 'kind'] in loss dict, but found loss.keys()=['price', 'type']"
    line, patches = _patch(_case(source, 2, "ValueError", message))
    assert (line, patches[0][1]) == (1, '+LOSSES = {"price": "mse", "kind": "bce"}')


def test_what_the_message_expects_is_not_renamed() -> None:
    source = 'model.fit(x, {"price": p, "kind": k})\n'
    message = "Expected keys ['price', 'kind'] in loss dict, but found loss.keys()=['price', 'type']"
    assert check(_case(source, 1, "ValueError", message)) is None


def _metrics(argument: str, outputs: str) -> str:
    return (
        f"tuple arity mismatch\nInvalid `{argument}`. `{argument}` should contain metrics objects and match the output "
        f"structure of the model: {outputs}.\nReceived: {argument}=[]"
    )


@pytest.mark.parametrize(
    ("given", "losses", "outputs", "right"),
    [
        ('["mae"]', '"mse"', "['X', 'X']", '["mae", "mae"]'),
        ("[Metric()]", '["mse"] * 2', "('X', 'X', 'X')", "[Metric(), Metric(), Metric()]"),
        ('["mae", "mse", "mape"]', '"mse"', "['X', 'X']", '[["mae", "mse", "mape"], ["mae", "mse", "mape"]]'),
        ('["accuracy"]', '["mse", "categorical_crossentropy"]', "['X', 'X']", '[[], ["accuracy"]]'),
        ('["accuracy"]', '"mse"', "['X', 'X']", '["accuracy", "accuracy"]'),
        ('["accuracy", "mae", own()]', '["mse", "bce_entropy"]', "['X', 'X']", '[["mae", own()], ["accuracy", own()]]'),
        ("[measure]", '"mse"', "['X', 'X']", ""),
    ],
)
def test_a_metric_for_each_output(given: str, losses: str, outputs: str, right: str) -> None:
    source = f'model.compile("adam", loss={losses},\n    metrics={given})\nmodel.fit(x, [a, b])\n'
    line, patches = _patch(_case(source, 3, "ValueError", _metrics("metrics", outputs)))
    assert line == 2
    assert patches == ([[f"-    metrics={given})", f"+    metrics={right})"]] if right else [])


def test_metrics_that_have_an_entry_for_each_output() -> None:
    source = 'model.compile("adam", "mse", metrics={})\nmodel.fit(x, [a, b])\n'
    for given in ('["mae", None]', '[["mae"]]', "{}", "made()"):
        case = _case(source.format(given), 2, "ValueError", _metrics("metrics", "['X', 'X']"))
        assert check(case) is None
    assert check(_case(source.format('["mae"]'), 2, "ValueError", _metrics("metrics", "{'a': 'X', 'b': 'X'}"))) is None


COMPILED = 'model.compile("mse", "adam")\n'


def _compiled(*registries: list[str]) -> Case:
    says = (
        "String (name of optimizer). See `keras.optimizers`.",
        "Loss function. May be a string. See `keras.losses`.",
    )
    given = [
        Argument(parameter=name, text=text, position=at, type="str", value=text, says=says[at], registries=known)
        for at, (name, text, known) in enumerate(
            zip(("optimizer", "loss"), ("'mse'", "'adam'"), registries, strict=True)
        )
    ]
    called = _called("model.compile('mse', 'adam')", 1, *given)
    return _case(COMPILED, 1, "ValueError", "Could not interpret optimizer identifier: mse", called)


def test_two_names_that_are_each_for_the_other_parameter() -> None:
    case = _compiled(["keras.losses", "keras.metrics"], ["keras.optimizers"])
    found = check(case)
    assert found is not None
    assert "was given 'mse' as `optimizer` and 'adam' as `loss`: each is a name for the other" in found.message
    assert _patch(case) == (1, [['-model.compile("mse", "adam")', '+model.compile("adam", "mse")']])


def test_a_name_that_only_its_own_module_lacks_is_not_swapped() -> None:
    assert check(_compiled(["keras.losses"], [])) is None
    assert check(_compiled(["keras.losses", "keras.optimizers"], ["keras.optimizers"])) is None
