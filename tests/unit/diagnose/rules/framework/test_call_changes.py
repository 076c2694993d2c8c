"""Calls, definitions and values that do not fit: the changes that the advice names."""

from __future__ import annotations

from types import ModuleType

import msgspec

from tests.unit.diagnose.case_of import FILE, case_of, raised
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.rules.framework import (
    layer_misuse,
    load_failed,
    missing_log_name,
    optimizer_reused,
    signature_mismatch,
    tensor_not_assignable,
    wrong_argument,
)
from whydied.records import ApiCalled, Argument, CallBegan, Frame, Local, Operand, OptimizerSeen, Record
from whydied.source.text import Source


def _patches(
    rule: ModuleType, source: str, number: int, kind: str, message: str, *facts: Record, **fields: object
) -> list[list[str]]:
    case = case_of(exit_code=1, process=[*facts, raised(kind, message, number=number, **fields)])
    case.recording.sources[FILE] = Source(source)
    found = rule.check(case)
    assert found is not None
    return patches_of(case, found)


def _at(line: int, function: str = "<module>") -> Frame:
    return Frame(file=FILE, line=line, function=function, user=True)


def _mapped(source: str, function: str) -> list[list[str]]:
    call = ApiCalled(
        link=0,
        callee="pairs.map",
        function=function,
        caller="tensorflow",
        defined=_at(1, function),
        frame=_at(source.count("\n")),
    )
    message = f"{function}() takes 1 positional argument but 2 were given"
    return _patches(signature_mismatch, source, source.count("\n"), "TypeError", message, call)


def test_a_function_of_pairs_passes_the_second_on() -> None:
    assert _mapped("data = pairs.map(lambda x: x / 255)\n", "<lambda>") == [
        ["-data = pairs.map(lambda x: x / 255)", "+data = pairs.map(lambda x, y: (x / 255, y))"]
    ]
    named = "def scale(x):\n    x = x / 255\n    return x\ndata = pairs.map(scale)\n"
    assert _mapped(named, "scale") == [["-def scale(x):", "+def scale(x, y):", "-    return x", "+    return x, y"]]
    assert _mapped(named.replace("return x", "return x, 1"), "scale") == []


def test_the_parameters_of_the_overridden_method() -> None:
    source = "class Score(Metric):\n    def update_state(self, y_true):\n        pass\nmodel.fit(x, y)\n"
    call = ApiCalled(
        link=0,
        callee="model.fit",
        function="Score.update_state",
        caller="keras",
        defined=_at(2),
        frame=_at(4),
        overridden="keras.Metric.update_state(self, y_true, y_pred, weights=None)",
    )
    message = "Score.update_state() takes 2 positional arguments but 3 were given"
    line = "    def update_state(self, y_true"
    assert _patches(signature_mismatch, source, 4, "TypeError", message, call) == [
        [f"-{line}):", f"+{line}, y_pred, weights=None):"]
    ]
    other = source.replace("y_true)", "truth)")
    assert _patches(signature_mismatch, other, 4, "TypeError", message, call) == []


def test_a_refused_keyword_is_renamed_or_dropped() -> None:
    call = ApiCalled(
        link=0, callee="Dense", call="Dense(3, activaton='relu')", function="Dense", near=["activation"], frame=_at(1)
    )
    message = "Dense.__init__() got an unexpected keyword argument 'activaton'"
    old = "-h = Dense(3, activaton='relu')"
    assert _patches(signature_mismatch, old[1:] + "\n", 1, "TypeError", message, call) == [
        [old, "+h = Dense(3, activation='relu')"],
        [old, "+h = Dense(3)"],
    ]


def test_values_become_what_a_parameter_takes() -> None:
    argument = Argument(
        parameter="units", text="n / 2", type="float", value="4.0", position=0, says="Positive integer, size."
    )
    called = ApiCalled(link=0, callee="Dense", function="keras.layers.Dense", frame=_at(2), arguments=[argument])
    message = "Received an invalid value for `units`, expected a positive integer. Received: units=4.0"
    assert _patches(wrong_argument, "n = 8\nh = Dense(n / 2)\n", 2, "ValueError", message, called) == [
        ["-h = Dense(n / 2)", "+h = Dense(n // 2)"]
    ]


LOGS = ["'loss'", "'accuracy'"]


def test_a_name_that_is_logged() -> None:
    fields = {"wanted": "'acc'", "keys": LOGS, "near": ["'accuracy'"]}
    began = CallBegan(call=1, kind="fit", frames=[])
    assert _patches(missing_log_name, 'plot(h["acc"])\n', 1, "KeyError", "'acc'", began, **fields) == [
        ['-plot(h["acc"])', '+plot(h["accuracy"])']
    ]


def test_validation_data_or_the_name_without_them() -> None:
    source = 'saved = Checkpoint("{epoch}-{val_loss:.2f}.keras")\nmodel.fit(x, y, callbacks=[saved])\n'
    began = CallBegan(call=1, kind="fit", arguments={"x": {"type": "numpy.ndarray"}}, frames=[_at(2)])
    fields = {"wanted": "'val_loss'", "keys": LOGS}
    training = [
        '-saved = Checkpoint("{epoch}-{val_loss:.2f}.keras")',
        '+saved = Checkpoint("{epoch}-{loss:.2f}.keras")',
    ]
    split = ["-model.fit(x, y, callbacks=[saved])", "+model.fit(x, y, callbacks=[saved], validation_split=0.2)"]
    assert _patches(missing_log_name, source, 2, "KeyError", "'val_loss'", began, **fields) == [split, training]
    both = source.replace("{epoch}", "{loss:.2f}")
    taken_out = [training[0].replace("{epoch}", "{loss:.2f}"), '+saved = Checkpoint("{loss:.2f}.keras")']
    began = msgspec.structs.replace(began, arguments={})
    assert _patches(missing_log_name, both, 2, "KeyError", "'val_loss'", began, **fields) == [taken_out]


def test_an_optimizer_for_each_model() -> None:
    source = "best = Adam(0.1)\nfor n in range(2):\n    net(n).compile(best, 'mse')\n"
    seen = OptimizerSeen(link=0, made=_at(1), variables=["a"])
    message = (
        "Unknown variable: <Variable path=b>. This optimizer can only be called for the variables it was originally "
        "built with."
    )
    found = _patches(optimizer_reused, source, 3, "ValueError", message, seen)
    gone = ["-best = Adam(0.1)", "-    net(n).compile(best, 'mse')", "+    net(n).compile(Adam(0.1), 'mse')"]
    assert [sorted(one) for one in found] == [sorted(gone)]
    kept = source + "print(best.iterations)\n"
    assert _patches(optimizer_reused, kept, 3, "ValueError", message, seen) == []


def test_items_of_tensors_and_variables() -> None:
    eager = "'tensorflow.python.framework.ops.EagerTensor' object does not support item assignment"
    assert _patches(tensor_not_assignable, "a = tf.ones(3)\na[0] = 2\n", 2, "TypeError", eager) == [
        ["-a = tf.ones(3)", "+a = tf.ones(3).numpy()"]
    ]
    variable = "'ResourceVariable' object does not support item assignment"
    assert _patches(tensor_not_assignable, "v[0, 1] = x + 1\n", 1, "TypeError", variable) == [
        ["-v[0, 1] = x + 1", "+v[0, 1].assign(x + 1)"]
    ]


def test_a_lambda_of_the_own_file_is_loaded() -> None:
    message = (
        "Requested the deserialization of a `Lambda` layer whose `function` is a Python lambda. This carries a "
        "potential risk of arbitrary code execution and thus it is disallowed by default."
    )
    assert _patches(load_failed, "m = load_model(path)\n", 1, "ValueError", message) == [
        ["-m = load_model(path)", "+m = load_model(path, safe_mode=False)"]
    ]


def test_a_class_among_the_layers_is_called() -> None:
    message = (
        "Only instances of `keras.Layer` can be added to a Sequential model. Received: <class 'keras.layers.Flatten'> "
        "(of type <class 'type'>)"
    )
    source = "m = Sequential([layers.Flatten, layers.Dense(1)])\n"
    assert _patches(layer_misuse, source, 1, "ValueError", message) == [
        [f"-{source.strip()}", "+m = Sequential([layers.Flatten(), layers.Dense(1)])"]
    ]


def test_a_model_is_built_by_a_call() -> None:
    source = "import tensorflow as tf\nmodel.load_weights(path)\n"
    message = "You are loading weights into a model that has not yet been built."
    began = [
        CallBegan(call=number, kind="fit", arguments={"x": {"shape": [200, size], "dtype": "int64"}}, frames=[_at(2)])
        for number, size in enumerate((10, 12))
    ]
    called = [['+model(tf.zeros((1, 10), dtype="int32"))']]
    operand = Operand(text="model", type="keras.src.models.Model")
    assert _patches(layer_misuse, source, 2, "ValueError", message, began[0], operands=[operand]) == called
    assert _patches(layer_misuse, source, 2, "ValueError", message, *began, operands=[operand]) == []


def test_a_model_that_a_loop_trains_is_built_where_it_is_made() -> None:
    source = "import tensorflow as tf\nmodel = Net()\nfor row in rows:\n    step(row)\nmodel.save_weights(path)\n"
    message = "You are loading weights into a model that has not yet been built."
    arrays = [Local(name="rows", type="numpy.ndarray", shape=[40, 6], dtype="float32")]
    frame = msgspec.structs.replace(_at(5), locals=arrays)
    operand = Operand(text="model", type="Net")
    made = raised("ValueError", message, number=5, operands=[operand])
    for frames, wanted in (([frame], [["+model(tf.zeros((1, 6)))"]]), ([_at(5)], [])):
        link = msgspec.structs.replace(made.chain[0], frames=frames)
        case = case_of(exit_code=1, process=[msgspec.structs.replace(made, chain=[link])])
        case.recording.sources[FILE] = Source(source)
        found = layer_misuse.check(case)
        assert found is not None
        assert found.location is not None
        assert patches_of(case, found) == wanted
        assert found.location.line == (2 if wanted else 5)
