"""FRM006 to FRM010 and DAT010: calls that do not agree with what is called, and values used as something else."""

from __future__ import annotations

from types import ModuleType

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.data import shared_generator
from whydied.diagnose.rules.framework import (
    layer_misuse,
    load_failed,
    missing_log_name,
    optimizer_reused,
    signature_mismatch,
    tensor_not_assignable,
)
from whydied.records import ApiCalled, Argument, CallBegan, Frame, NamesakeFound, OptimizerSeen, Record
from whydied.source.text import Source


def _check(rule: ModuleType, source: str, number: int, kind: str, message: str, *facts: Record, **fields: object):  # type: ignore[no-untyped-def]
    case = case_of(exit_code=1, process=[*facts, raised(kind, message, number=number, **fields)])
    case.recording.sources[FILE] = Source(source)
    found: Finding | None = rule.check(case)
    return found


def _at(line: int, function: str = "<module>") -> Frame:
    return Frame(file=FILE, line=line, function=function, user=True)


METRIC = """class Score(Metric):
    def update_state(self, y_true, y_pred):
        pass

model.fit(x, y)
"""
REFUSED = "Score.update_state() got an unexpected keyword argument 'sample_weight'"


def test_a_method_that_keras_calls_gets_the_argument() -> None:
    call = ApiCalled(
        link=0, callee="model.fit", function="Score.update_state", caller="keras", defined=_at(2), frame=_at(5)
    )
    found = _check(signature_mismatch, METRIC, 5, "TypeError", REFUSED, call)
    assert found is not None
    assert found.location is not None
    assert found.location.line == 2
    assert found.advice == ["Write `def update_state(self, y_true, y_pred, sample_weight=None):`."]
    assert found.culprit is not None
    assert found.culprit.name == "Score.update_state"


def test_the_method_of_the_installed_base_is_written_out() -> None:
    call = ApiCalled(
        link=0,
        callee="model.fit",
        function="Score.update_state",
        caller="keras",
        defined=_at(2),
        frame=_at(5),
        overridden="keras.Metric.update_state(self, y_true, y_pred, weights=None)",
    )
    message = "Score.update_state() takes 3 positional arguments but 4 were given"
    found = _check(signature_mismatch, METRIC, 5, "TypeError", message, call)
    assert found is not None
    assert "with 3 positional arguments, but `def update_state(self, y_true, y_pred):` takes 2" in found.message
    assert "def update_state(self, y_true, y_pred, weights=None):" in found.advice[0]


def test_a_lambda_of_a_data_set() -> None:
    source = "data = pairs.map(lambda x: x / 255)\n"
    call = ApiCalled(
        link=0,
        callee="pairs.map",
        function="<lambda>",
        caller="tensorflow",
        defined=_at(1, "<lambda>"),
        frame=_at(1),
    )
    found = _check(
        signature_mismatch, source, 1, "TypeError", "<lambda>() takes 1 positional argument but 2 were given", call
    )
    assert found is not None
    assert "has 2 parts" in found.advice[0]


def test_self_passed_by_hand() -> None:
    call = ApiCalled(
        link=0,
        callee="super().__init__",
        function="keras.Model.__init__",
        call="super().__init__(self, name='net')",
        frame=_at(3),
    )
    message = "Layer.__init__() takes 1 positional argument but 2 were given"
    found = _check(
        signature_mismatch, "class A(Model):\n    def __init__(self):\n        pass\n", 3, "TypeError", message, call
    )
    assert found is not None
    assert found.advice == ["Write `super().__init__(name='net')`."]


def test_a_constructor_that_does_not_take_what_its_parent_takes() -> None:
    source = "class A(Layer):\n    def __init__(self, units):\n        super().__init__()\n\nA(3, name='a')\n"
    call = ApiCalled(
        link=0,
        callee="A",
        function="A.__init__",
        call="A(3, name='a')",
        defined=_at(2),
        frame=_at(5),
        accepted=["units", "name", "dtype"],
    )
    message = "A.__init__() got an unexpected keyword argument 'name'"
    found = _check(signature_mismatch, source, 5, "TypeError", message, call)
    assert found is not None
    assert found.advice == ["Write `def __init__(self, units, **kwargs):` and `super().__init__(**kwargs)`."]


def test_a_misspelt_constructor() -> None:
    source = "class A(Layer):\n    def __int__(self, units):\n        pass\n\nA(3)\n"
    call = ApiCalled(
        link=0, callee="A", function="A.__int__", call="A(3)", defined=_at(2), frame=_at(5), misspelt="__int__"
    )
    message = "Layer.__init__() takes 1 positional argument but 2 were given"
    found = _check(signature_mismatch, source, 5, "TypeError", message, call)
    assert found is not None
    assert found.advice == ["Rename `__int__` to `__init__`."]


def test_a_method_without_self() -> None:
    source = "class A:\n    def load(path):\n        pass\n\nA().load('x')\n"
    call = ApiCalled(
        link=0, callee="A().load", function="A.load", call="A().load('x')", defined=_at(2, "load"), frame=_at(5)
    )
    message = "A.load() takes 1 positional argument but 2 were given"
    found = _check(signature_mismatch, source, 5, "TypeError", message, call)
    assert found is not None
    assert found.advice == ["Write `def load(self, path):`."]


def test_a_function_that_makes_the_function_is_passed_itself() -> None:
    source = (
        "def weighted(alpha):\n    def loss(y, p):\n        return alpha * y\n    return loss\n\n"
        "model.compile('adam', loss=weighted)\nmodel.fit(x, y)\n"
    )
    call = ApiCalled(
        link=0, callee="model.fit", function="weighted", caller="keras", defined=_at(1, "weighted"), frame=_at(7)
    )
    message = "weighted() takes 1 positional argument but 2 were given"
    found = _check(signature_mismatch, source, 7, "TypeError", message, call)
    assert found is not None
    assert found.location is not None
    assert found.location.line == 6
    assert found.advice == ["Call it there: `weighted(alpha)`."]


def test_a_layer_that_needs_two_inputs() -> None:
    source = "class Mix(Layer):\n    def call(self, x, context):\n        return x\n\ny = Mix()(x)\n"
    call = ApiCalled(link=0, callee="Mix()", function="Mix.call", call="Mix()(x)", defined=_at(2, "call"), frame=_at(5))
    found = _check(signature_mismatch, source, 5, "TypeError", "missing a required argument: 'context'", call)
    assert found is not None
    assert "`Mix()(x)` does not pass `context`, which `def call(self, x, context):` on line 2" in found.message


def test_a_keyword_that_keras_refuses_itself() -> None:
    call = ApiCalled(
        link=0,
        callee="Dense",
        function="keras.Dense",
        call="Dense(3, activaton='relu')",
        arguments=[Argument(parameter="units", text="3"), Argument(parameter="activaton", text="'relu'")],
        accepted=["units", "activation"],
        near=["activation"],
        frame=_at(1),
    )
    message = "Unrecognized keyword arguments passed to Dense: {'activaton': 'relu'}"
    found = _check(signature_mismatch, "Dense(3, activaton='relu')\n", 1, "ValueError", message, call)
    assert found is not None
    assert found.advice == ["Write `activation=` instead of `activaton=`, or drop it."]


def test_another_type_error_of_the_same_call_is_not_explained() -> None:
    call = ApiCalled(link=0, callee="model.fit", function="Score.update_state", caller="keras", defined=_at(2))
    assert _check(signature_mismatch, METRIC, 5, "TypeError", "can only concatenate str", call) is None


FITTED = CallBegan(call=1, kind="fit", frames=[])
LOGS = 'names = "{val_acc:.2f}.keras"\nmodel.fit(x, y, callbacks=[ModelCheckpoint(names)])\n'


def test_the_logged_name_is_offered_where_the_other_is_written() -> None:
    keys = ["'accuracy'", "'loss'", "'val_accuracy'", "'val_loss'"]
    fields = {"wanted": "'val_acc'", "keys": keys, "near": ["'val_accuracy'"]}
    assert _check(missing_log_name, LOGS, 2, "KeyError", "x", **fields) is None, "nothing was trained"
    found = _check(missing_log_name, LOGS, 2, "KeyError", "x", FITTED, **fields)
    assert found is not None
    assert found.location is not None
    assert found.location.line == 1
    assert found.advice == ["Write `val_accuracy` instead of `val_acc` on line 1 of train.py."]


def test_without_validation_data_there_are_no_names_of_it() -> None:
    keys = ["'loss'", "'accuracy'"]
    found = _check(missing_log_name, LOGS, 2, "KeyError", "x", FITTED, wanted="'val_acc'", keys=keys)
    assert found is not None
    assert "without validation data Keras logs only loss, accuracy" in found.message


def test_a_key_of_another_mapping_is_not_a_log() -> None:
    keys = ["'side'", "'epochs'"]
    assert _check(missing_log_name, LOGS, 2, "KeyError", "x", FITTED, wanted="'val_acc'", keys=keys) is None


ITEMS = "def cut(raw, scale):\n    boxes = raw / scale\n    boxes[:, 0] = 0\n    return boxes\n"


def test_items_of_a_tensor_are_not_assigned() -> None:
    message = "'tensorflow.python.framework.ops.EagerTensor' object does not support item assignment"
    found = _check(tensor_not_assignable, ITEMS, 3, "TypeError", message)
    assert found is not None
    assert found.location is not None
    assert found.location.line == 2
    assert "`boxes = (raw / scale).numpy()`" in found.advice[0]


def test_items_of_a_tuple_are_none_of_our_business() -> None:
    message = "'tuple' object does not support item assignment"
    assert _check(tensor_not_assignable, ITEMS, 3, "TypeError", message) is None


def test_a_variable_that_may_be_none_as_a_condition() -> None:
    source = (
        "class A:\n    def build(self):\n        self.bias = None\n"
        "    def call(self):\n        if self.bias:\n            pass\n"
    )
    found = _check(tensor_not_assignable, source, 5, "TypeError", "A Keras Variable cannot be used as a boolean.")
    assert found is not None
    assert found.advice == ["Write `self.bias is not None` instead of `self.bias`."]


def test_the_line_of_the_optimizer_that_refuses() -> None:
    source = "optimizer = Adam(0.01)\nfirst(optimizer)\nsecond(optimizer)\n"
    message = "Unknown variable: <Variable path=sequential_1/dense/kernel, shape=(4, 20), dtype=float32>. This"
    seen = OptimizerSeen(link=0, made=_at(1), variables=["sequential/dense/kernel"])
    found = _check(optimizer_reused, source, 3, "ValueError", message, seen)
    assert found is not None
    assert found.location is not None
    assert found.location.line == 1
    assert found.culprit is not None
    assert found.culprit.name == "optimizer"
    assert "`Adam(0.01)` where the model is made or compiled" in found.advice[0]
    assert _check(optimizer_reused, source, 3, "ValueError", "Unknown layer: Scale", seen) is None


def test_an_optimizer_that_makes_its_variables_in_a_later_call() -> None:
    source = "@tf.function\ndef step(x):\n    optimizers[phase].apply_gradients(pairs)\n"
    message = "tf.function only supports singleton tf.Variables created on the first call."
    found = _check(layer_misuse, source, 3, "ValueError", message)
    assert found is not None
    assert found.culprit is not None
    assert found.culprit.name == "optimizers[phase]"
    assert "`optimizers[phase].build(…)`" in found.advice[0]


def test_a_variable_that_was_made_twice_in_one_graph() -> None:
    source = "def define():\n    return Variable(0, name='v')\n\nsave(define())\nrestore(define())\n"
    seen = NamesakeFound(link=0, name="v_1", namesake="v", frames=[_at(5), _at(2)], first=[_at(4), _at(2)])
    found = _check(load_failed, source, 5, "NotFoundError", "Key v_1 not found in checkpoint", seen)
    assert found is not None
    assert found.location is not None
    assert found.location.line == 5
    assert "first made on line 4 of train.py" in found.message
    assert _check(load_failed, source, 5, "NotFoundError", "Key w not found in checkpoint", seen) is None


def test_a_generator_of_several_threads() -> None:
    source = "def work(source):\n    put(next(source))\n"
    found = _check(shared_generator, source, 2, "ValueError", "generator already executing")
    assert found is not None
    assert "`source`" in found.message
    assert "with lock: item = next(source)" in found.advice[0]
    assert _check(shared_generator, source, 2, "ValueError", "generator raised StopIteration") is None


def test_a_method_called_on_its_class() -> None:
    optimizer = Argument(parameter="optimizer", text="'adam'", position=0, type="str", value="'mse'")
    call = ApiCalled(link=0, callee="Net.compile", function="keras.Trainer.compile", arguments=[optimizer])
    message = "Could not interpret optimizer identifier: mse"
    found = _check(signature_mismatch, "Net.compile('adam', 'mse')\n", 1, "ValueError", message, call)
    assert found is not None
    assert "is called on the class Net" in found.message


SPLIT = """def parts():
    ds = clips().map(scale).batch(32)
    kept = ds.skip(48)
    return kept.prefetch(1), ds.take(48)

train, val = parts()
history = model.fit(train, validation_data=val)
print(history.history["accuracy"])
"""
ONLY_VALIDATED = {"wanted": "'accuracy'", "keys": ["'val_accuracy'", "'val_loss'"], "near": ["'val_accuracy'"]}


def _of_project(rule: ModuleType, source: str, number: int, *facts: Record, **fields: object):  # type: ignore[no-untyped-def]
    case = case_of(exit_code=1, process=[*facts, raised("KeyError", "x", number=number, **fields)])
    case.recording.sources[FILE] = case.recording.project[FILE] = Source(source)
    found: Finding | None = rule.check(case)
    return found


def test_what_was_validated_and_not_trained_had_no_batch() -> None:
    """`skip` behind `batch` leaves out batches: the name is right, and there was nothing to train on."""
    began = CallBegan(call=1, kind="fit", frames=[_at(7)])
    found = _of_project(missing_log_name, SPLIT, 8, began, **ONLY_VALIDATED)
    assert found is not None
    assert found.location is not None
    assert found.location.line == 3
    assert found.certainty == "likely"
    assert "`ds.skip(48)` comes after `batch`" in found.message
    assert found.advice == ["Split the rows before they are batched."]


def test_without_a_skip_only_what_is_known_is_told() -> None:
    source = SPLIT.replace("ds.skip(48)", "ds.filter(rare)")
    began = CallBegan(call=1, kind="fit", frames=[_at(7)])
    found = _of_project(missing_log_name, source, 8, began, **ONLY_VALIDATED)
    assert found is not None
    assert found.location is not None
    assert found.location.line == 7
    assert "`train`, gave no batch" in found.message


def test_a_skip_before_the_batch_is_no_reason() -> None:
    source = SPLIT.replace("clips().map(scale).batch(32)", "clips()").replace("ds.skip(48)", "ds.skip(48).batch(32)")
    began = CallBegan(call=1, kind="fit", frames=[_at(7)])
    found = _of_project(missing_log_name, source, 8, began, **ONLY_VALIDATED)
    assert found is not None
    assert "comes after" not in found.message


VALIDATED_BY_NONE = """def batches(rows):
    if not rows:
        return None
    return made(rows)

history = model.fit(batches(train), validation_data=batches(val))
print(history.history["val_loss"])
"""


def test_validation_data_that_were_none_are_told_with_where_they_come_from() -> None:
    fields = {"wanted": "'val_loss'", "keys": ["'loss'"]}
    began = CallBegan(call=1, kind="fit", frames=[_at(6)])
    found = _of_project(missing_log_name, VALIDATED_BY_NONE, 7, began, **fields)
    assert found is not None
    assert "`validation_data=batches(val)` was None: `batches` gives None where `not rows` (line 2" in found.message
    given = CallBegan(call=1, kind="fit", frames=[_at(6)], arguments={"validation_data": {"type": "tuple"}})
    other = _of_project(missing_log_name, VALIDATED_BY_NONE, 7, given, **fields)
    assert other is not None
    assert "was None" not in other.message


def test_a_super_that_begins_behind_the_parent_is_named() -> None:
    source = (
        "class Last(Layer):\n    def __init__(self, **kw):\n        super(Layer, self).__init__(**kw)\n\nLast()(x)\n"
    )
    message = (
        "In layer 'Last', you forgot to call `super().__init__()` as the first statement in the `__init__()` method."
    )
    found = _check(layer_misuse, source, 5, "RuntimeError", message)
    assert found is not None
    assert found.location is not None
    assert found.location.line == 3
    assert "begins behind Layer" in found.message
    right = source.replace("super(Layer, self)", "super(Last, self)")
    other = _check(layer_misuse, right, 5, "RuntimeError", message)
    assert other is None or "begins behind" not in other.message
