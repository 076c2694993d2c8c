"""FRM021 and FRM015: what a library refused, at the place that gave it, with an edit that meets its condition."""

from __future__ import annotations

import msgspec
import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.case import Case
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.framework import (
    layer_misuse,
    refused_argument,
    setting_forbids,
    signature_mismatch,
    wrong_argument,
)
from whydied.records import (
    ApiCalled,
    Argument,
    CallBegan,
    CallEnded,
    CallRefused,
    Demanded,
    ErrorFacts,
    Frame,
    Operand,
    Party,
    Record,
)
from whydied.source.text import Source


def _at(line: int, function: str = "<module>") -> Frame:
    return Frame(file=FILE, line=line, function=function, user=True)


def _case(source: str, number: int, kind: str, message: str, *facts: Record) -> Case:
    case = case_of(exit_code=1, process=[*facts, raised(kind, message, number=number)])
    case.recording.sources[FILE] = Source(source)
    return case


def _refused(number: int, *demands: Demanded, passes: int | None = None) -> CallRefused:
    return CallRefused(link=0, function="keras.get", demands=list(demands), frame=_at(number), passes=passes)


def _found(case: Case) -> Finding:
    found = refused_argument.check(case)
    assert found is not None
    return found


METRIC = 'def close(a, b):\n    return b\nmodel.compile("adam", metrics=["close"])\nmodel.fit(x, y)\n'
MESSAGE = "Could not interpret metric identifier: close"


def test_the_name_of_an_own_function_as_a_text_is_told_where_it_is_written() -> None:
    wanted = Demanded(kind="member", text="identifier", value="'close'", accepted=["mae"], namesake=_at(1, "close"))
    case = _case(METRIC, 4, "ValueError", MESSAGE, _refused(4, wanted))
    found = _found(case)
    assert found.location is not None
    assert found.location.line == 3
    assert patches_of(case, found) == [
        ['-model.compile("adam", metrics=["close"])', '+model.compile("adam", metrics=[close])']
    ]


def test_a_text_in_two_places_is_not_told() -> None:
    wanted = Demanded(kind="member", text="identifier", value="'close'", accepted=["mae"], namesake=_at(1, "close"))
    twice = METRIC + 'print("close")\n'
    assert refused_argument.check(_case(twice, 4, "ValueError", MESSAGE, _refused(4, wanted))) is None


def test_a_near_name_that_is_accepted_and_a_list_of_few() -> None:
    source = 'layer = Dense(3, activation="rellu")\n'
    called = ApiCalled(
        link=0, callee="Dense", function="keras.Dense", call="Dense(3, activation='rellu')", frame=_at(1)
    )
    wanted = Demanded(
        kind="member",
        text="identifier",
        parameter="activation",
        value="'rellu'",
        accepted=["relu", "selu"],
        near=["relu"],
    )
    case = _case(source, 1, "ValueError", "unknown: rellu", called, _refused(1, wanted))
    assert patches_of(case, _found(case)) == [
        ['-layer = Dense(3, activation="rellu")', '+layer = Dense(3, activation="relu")']
    ]
    far = Demanded(kind="member", text="identifier", parameter="activation", value="'rellu'", accepted=["a", "b"])
    case = _case(source, 1, "ValueError", "unknown: rellu", called, _refused(1, far))
    assert _found(case).advice == ["Write one of 'a', 'b'."]
    many = Demanded(kind="member", text="identifier", value="'rellu'", accepted=[str(one) for one in range(40)])
    assert refused_argument.check(_case(source, 1, "ValueError", "unknown", called, _refused(1, many))) is None


SCHEDULE = "def rate(epoch):\n    return 0.1\ncallback = Scheduler(rate(0))\nmodel.fit(x, callbacks=[callback])\n"


def test_a_result_in_the_place_of_the_function_that_gives_it() -> None:
    wanted = Demanded(
        kind="callable", text="self.rate", type="float", value="0.1", holder="Scheduler", given_as="rate", position=0
    )
    case = _case(SCHEDULE, 4, "TypeError", "'float' object is not callable", _refused(4, wanted, passes=1))
    found = _found(case)
    assert found.location is not None
    assert found.location.line == 3
    assert patches_of(case, found) == [["-callback = Scheduler(rate(0))", "+callback = Scheduler(rate)"]]
    # It would be called with two arguments, and takes one: nothing is advised.
    case = _case(SCHEDULE, 4, "TypeError", "'float' object is not callable", _refused(4, wanted, passes=2))
    assert _found(case).advice == []


def test_a_function_of_python_where_no_variable_of_its_name_is_set() -> None:
    source = "def samples():\n    yield [input]\nconverter.convert(samples)\n"
    wanted = Demanded(kind="attribute", text="s", wanted="'shape'", builtin="input")
    case = _case(source, 3, "AttributeError", "no attribute 'shape'", _refused(3, wanted))
    assert _found(case).location is not None
    assert "Python's own function" in _found(case).message
    own = source.replace("    yield", "    input = 3\n    yield")
    assert refused_argument.check(_case(own, 4, "AttributeError", "no", _refused(4, wanted))) is None


def test_an_argument_that_does_not_go_with_the_data_is_left_out() -> None:
    source = "model.fit(data, epochs=2, validation_split=0.2)\n"
    called = ApiCalled(
        link=0,
        callee="model.fit",
        function="keras.Model.fit",
        call="model.fit(data, epochs=2, validation_split=0.2)",
        frame=_at(1),
        arguments=[Argument(parameter="x", text="data", position=0, type="tensorflow.data._BatchDataset")],
    )
    wanted = Demanded(kind="reached", text="validation_split", parameter="validation_split", value="0.2")
    message = "Argument `validation_split` is only supported for arrays. Found [<class '_BatchDataset'>]"
    case = _case(source, 1, "ValueError", message, called, _refused(1, wanted))
    assert patches_of(case, _found(case)) == [
        ["-model.fit(data, epochs=2, validation_split=0.2)", "+model.fit(data, epochs=2)"]
    ]
    # An exception that speaks of something else is not because of it.
    other = _case(source, 1, "ValueError", "shapes differ", called, _refused(1, wanted))
    assert refused_argument.check(other) is None


def test_gradients_without_their_variables() -> None:
    source = "grads = tape.gradient(loss, model.weights)\nopt.apply_gradients(grads)\n"
    called = ApiCalled(
        link=0,
        callee="opt.apply_gradients",
        function="keras.Optimizer.apply_gradients",
        call="opt.apply_gradients(grads)",
        frame=_at(2),
        arguments=[Argument(parameter="grads_and_vars", text="grads", position=0)],
    )
    wanted = Demanded(kind="pairs", text="grads_and_vars", parameter="grads_and_vars", type="list")
    case = _case(source, 2, "ValueError", "too many values to unpack (expected 2)", called, _refused(2, wanted))
    assert patches_of(case, _found(case)) == [
        ["-opt.apply_gradients(grads)", "+opt.apply_gradients(zip(grads, model.weights))"]
    ]


def test_a_comma_that_makes_a_tuple() -> None:
    source = "optimizer = Adam(0.1),\noptimizer.apply(3)\n"
    wanted = Demanded(kind="item", text="optimizer", wanted="apply", type="keras.Adam")
    case = _case(source, 2, "AttributeError", "'tuple' object has no attribute 'apply'", _refused(2, wanted))
    assert patches_of(case, _found(case)) == [["-optimizer = Adam(0.1),", "+optimizer = Adam(0.1)"]]
    plain = _case(source.replace("),", ")"), 2, "AttributeError", "'tuple'", _refused(2, wanted))
    assert refused_argument.check(plain) is None


def test_a_setting_that_an_object_was_made_without() -> None:
    source = "with tf.GradientTape() as tape:\n    loss = f()\ntape.gradient(loss, a)\ntape.gradient(loss, b)\n"
    wanted = Demanded(
        kind="true",
        text="self._persistent",
        value="False",
        holder="GradientTape",
        given_as="persistent",
        default="False",
    )
    message = "A non-persistent GradientTape can only be used once"
    case = _case(source, 4, "RuntimeError", message, _refused(4, wanted))
    found = setting_forbids.check(case)
    assert found is not None
    assert found.location is not None
    assert found.location.line == 1
    assert patches_of(case, found) == [
        ["-with tf.GradientTape() as tape:", "+with tf.GradientTape(persistent=True) as tape:"]
    ]
    # An exception that does not name the setting is not because of it.
    assert setting_forbids.check(_case(source, 4, "RuntimeError", "no tape", _refused(4, wanted))) is None


def test_of_several_objects_of_one_name_the_one_of_the_failing_function() -> None:
    step = "def {}(a, b):\n    with tf.GradientTape() as tape:\n        loss = f()\n    tape.gradient(loss, a)\n"
    source = step.format("first") + step.format("second") + "    tape.gradient(loss, b)\n"
    wanted = Demanded(
        kind="true", text="self._keep", value="False", holder="GradientTape", given_as="persistent", default="False"
    )
    refused = CallRefused(link=0, function="tf.GradientTape.gradient", demands=[wanted], frame=_at(9, "second"))
    found = setting_forbids.check(_case(source, 9, "RuntimeError", "A non-persistent tape", refused))
    assert found is not None
    assert found.location is not None
    assert found.location.line == 6
    # Made in another function than that of the failing line, it may be any of them.
    elsewhere = msgspec.structs.replace(refused, frame=_at(10))
    source += "tape.gradient(loss, c)\n"
    assert setting_forbids.check(_case(source, 10, "RuntimeError", "A non-persistent tape", elsewhere)) is None


def test_a_call_that_does_not_go_with_how_its_object_was_made() -> None:
    source = 'text = TextVectorization(vocabulary=["a"], split=None)\ntext.adapt(words)\nprint(text)\n'
    called = ApiCalled(
        link=0, callee="text.adapt", function="keras.TextVectorization.adapt", call="text.adapt(words)", frame=_at(2)
    )
    wanted = Demanded(
        kind="false", text="self._given", value="True", holder="StringLookup", given_as="vocabulary", default="None"
    )
    message = "Cannot adapt after setting a static vocabulary via `vocabulary`"
    case = _case(source, 2, "ValueError", message, called, _refused(2, wanted))
    found = setting_forbids.check(case)
    assert found is not None
    assert patches_of(case, found) == [
        ["-text.adapt(words)"],
        ['-text = TextVectorization(vocabulary=["a"], split=None)', "+text = TextVectorization(split=None)"],
    ]


def test_a_stateful_layer_gets_a_batch_size_in_its_input() -> None:
    source = (
        "BATCH = 8\nmodel.add(Input(shape=(5, 2)))\nmodel.add(LSTM(4, stateful=True))\nmodel.fit(x, batch_size=BATCH)\n"
    )
    axis = Demanded(kind="given", text="sequences_shape[0]", value="None")
    wanted = Demanded(
        kind="false", text="self.stateful", value="True", holder="LSTM", given_as="stateful", default="False"
    )
    message = "When using `stateful=True` in a RNN, the batch size must be static"
    case = _case(source, 3, "ValueError", message, _refused(3, axis, wanted))
    found = setting_forbids.check(case)
    assert found is not None
    assert patches_of(case, found)[0] == [
        "-model.add(Input(shape=(5, 2)))",
        "+model.add(Input(batch_shape=(BATCH, 5, 2)))",
    ]


def test_inputs_given_to_a_layers_constructor() -> None:
    source = "x = Concatenate([a, b], axis=1)\n"
    called = ApiCalled(
        link=0,
        callee="Concatenate",
        function="keras.Concatenate",
        call="Concatenate([a, b], axis=1)",
        frame=_at(1),
        accepted=["axis", "name", "trainable", "dtype"],
        arguments=[Argument(parameter="axis", text="[a, b]", position=0, type="list", held=["keras.KerasTensor"])],
    )
    case = _case(source, 1, "TypeError", "Concatenate.__init__() got multiple values for argument 'axis'", called)
    found = layer_misuse.check(case)
    assert patches_of(case, found) == [["-x = Concatenate([a, b], axis=1)", "+x = Concatenate(axis=1)([a, b])"]]


@pytest.mark.parametrize(("call", "blamed"), [("model.fit(x, epochs=2)", False), ("model.fit(x, y=y, x=x)", True)])
def test_a_call_is_blamed_only_for_what_it_passes_itself(call: str, blamed: bool) -> None:
    called = ApiCalled(
        link=0,
        callee="model.fit",
        function="keras.fit",
        call=call,
        frame=_at(1),
        parameters=["x", "y", "sample_weight"],
    )
    name = "x" if blamed else "sample_weight"
    message = f"Mean.update_state() got multiple values for argument '{name}'"
    found = signature_mismatch.check(_case(f"{call}\n", 1, "TypeError", message, called))
    assert (found is not None) == blamed


MEAN = 'model.compile("adam", metrics=["mae", metrics.Mean(name="score")])\nmodel.fit(x, y)\n'


def _receiver() -> Demanded:
    return Demanded(
        kind="receiver",
        text="m.update_state",
        wanted="m.update_state(y_true, y_pred, sample_weight=sample_weight)",
        type="keras.Mean",
        holder="Mean",
        attribute="update_state",
        accepted=["values", "sample_weight"],
        offers=["MeanMetricWrapper(fn=lambda y_true, y_pred: y_pred, {})"],
    )


def test_an_object_that_cannot_take_what_it_is_passed_is_told_where_it_was_made() -> None:
    said = "Mean.update_state() got multiple values for argument 'sample_weight'"
    case = _case(MEAN, 2, "TypeError", said, _refused(2, _receiver()))
    found = _found(case)
    assert found.location is not None
    assert found.location.line == 1
    assert "takes (values, sample_weight), and Keras calls it with (y_true, y_pred" in found.message
    assert [lines[1] for lines in patches_of(case, found)] == [
        '+model.compile("adam", metrics=["mae", metrics.MeanMetricWrapper(fn=lambda y_true, y_pred: y_pred, '
        'name="score")])',
        '+model.compile("adam", metrics=["mae"])',
    ]
    named = 'score = metrics.Mean()\nmodel.compile("adam", metrics=["mae", score])\nmodel.fit(x, y)\n'
    plain = msgspec.structs.replace(_receiver(), offers=[])
    case = _case(named, 3, "TypeError", said, _refused(3, plain))
    assert patches_of(case, _found(case)) == [
        ['-model.compile("adam", metrics=["mae", score])', '+model.compile("adam", metrics=["mae"])']
    ]
    twice = MEAN + "other = metrics.Mean()\n"
    assert refused_argument.check(_case(twice, 2, "TypeError", said, _refused(2, _receiver()))) is None


def test_an_item_of_one_number_is_not_asked_for() -> None:
    source = "loss += model.train_on_batch(x, y)[0]\n"
    said = "'float' object is not subscriptable"
    case = _case(source, 1, "TypeError", said)
    found = _found(case)
    assert "the loss alone where `compile` was given no metrics" in found.message
    assert patches_of(case, found) == [
        ["-loss += model.train_on_batch(x, y)[0]", "+loss += model.train_on_batch(x, y)"]
    ]
    second = "model.compile('sgd', 'mse')\nscore = model.evaluate(x, y)\nprint(score[0], score[1])\n"
    link = raised("TypeError", said, number=3)
    operand = Operand(text="score", type="float", value="0.3")
    chain = [msgspec.structs.replace(link.chain[0], operands=[operand])]
    case = case_of(exit_code=1, process=[msgspec.structs.replace(link, chain=chain)])
    case.recording.sources[FILE] = Source(second)
    assert patches_of(case, _found(case)) == [
        ["-model.compile('sgd', 'mse')", "+model.compile('sgd', 'mse', metrics=[\"accuracy\"])"]
    ]
    for other in "loss += a(x)[0] + b(x)[0]\n":
        assert refused_argument.check(_case(other, 1, "TypeError", said)) is None
    assert refused_argument.check(_case(source, 1, "TypeError", "'Model' object is not subscriptable")) is None


def test_a_call_that_begins_below_its_statement_is_found() -> None:
    source = "parts = [\n    concatenate([a, b]),\n    Dense(2),\n]\n"
    given = Argument(parameter="inputs", text="[a, b]", position=0, type="list", held=["keras.Sequential"])
    called = ApiCalled(
        link=0,
        callee="concatenate",
        function="keras.concatenate",
        call="concatenate([a, b])",
        frame=_at(1),
        arguments=[given],
    )
    wanted = Demanded(
        kind="", text="arg", type="keras.Sequential", parameter="inputs", part="[0]", offers=["{}.output"]
    )
    case = _case(source, 1, "ValueError", "Only input tensors may be passed", called, _refused(1, wanted))
    found = _found(case)
    assert patches_of(case, found)[0][1] == "+    concatenate([a.output, b.output]),"
    assert "make `Model([a.inputs[0], b.inputs[0]], …)`" in found.advice[1]


def test_tensors_that_a_layer_takes_as_one_list() -> None:
    source = "both = Concatenate()(seen, known)\n"
    says = "It takes as input a list of tensors."
    given = [
        Argument(parameter=name, text=text, position=at, type="keras.KerasTensor", says=says)
        for at, (name, text) in enumerate((("inputs", "seen"), ("", "known")))
    ]
    called = ApiCalled(
        link=0,
        callee="Concatenate()",
        function="keras.Concatenate.call",
        call="Concatenate()(seen, known)",
        frame=_at(1),
        arguments=given,
        parameters=["inputs"],
        required=["inputs"],
    )
    case = _case(source, 1, "TypeError", "too many positional arguments", called)
    found = signature_mismatch.check(case)
    assert found is not None
    assert patches_of(case, found) == [[f"-{source.strip()}", "+both = Concatenate()([seen, known])"]]


def _weighted(source: str, weights: Argument, targets: str, *parties: Party) -> Case:
    call = source.splitlines()[-1]
    given = [Argument(parameter="y", text=targets, position=1), weights]
    called = ApiCalled(link=0, callee="model.fit", function="keras.fit", call=call, frame=_at(2), arguments=given)
    facts = ErrorFacts(call="fit", place=_at(2), parties=list(parties))
    said = "`class_weight` is only supported for Models with a single output."
    return _case(source, 2, "ValueError", said, called, facts)


def test_weights_of_classes_for_several_outputs_become_weights_of_samples() -> None:
    kinds, places = (
        Party(role="y", text="kinds", shape=[9], classes=3),
        Party(role="y", text="places", shape=[9, 4], classes=4, one_hot=True),
    )
    source = "import numpy as np\nmodel.fit(x, [kinds, places], class_weight=[a, b])\n"
    listed = Argument(parameter="class_weight", text="[a, b]", type="list")
    case = _weighted(source, listed, "[kinds, places]", kinds, places)
    assert wrong_argument.check(case) is None
    assert patches_of(case, _found(case))[0][1:] == [
        "+model.fit(x, [kinds, places], sample_weight=[",
        "+    np.array([a[int(one)] for one in kinds]),",
        "+    np.array([b[int(one)] for one in np.argmax(places, axis=-1)]),",
        "+])",
    ]
    source = 'import numpy as np\nmodel.fit(x, {"k": kinds}, class_weight={0: 1.0, 1: 2.0})\n'
    common = Argument(parameter="class_weight", text="{0: 1.0, 1: 2.0}", type="dict")
    case = _weighted(source.replace('"', "'"), common, "{'k': kinds}", kinds)
    assert "'k': np.array([{0: 1.0, 1: 2.0}[int(one)] for one in kinds])" in patches_of(case, _found(case))[0][2]


def test_targets_that_are_no_classes_get_words_alone() -> None:
    source = "import numpy as np\nmodel.fit(x, [heights], class_weight=[a])\n"
    listed = Argument(parameter="class_weight", text="[a]", type="list")
    found = _found(_weighted(source, listed, "[heights]", Party(role="y", text="heights", shape=[9])))
    assert (found.changes, found.advice[0][:21]) == ([], "Pass `sample_weight`,")


def test_models_for_a_layer_that_is_made_on_the_same_line() -> None:
    source = "both = layers.Concatenate()([a, b])\n"
    wanted = [
        Demanded(kind="true", text="self.allowed", holder="Concatenate"),
        Demanded(kind="", text="arg", type="keras.Sequential", parameter="inputs", part="[0]", offers=["{}.output"]),
    ]

    def made(second: str) -> Case:
        parties = [
            Party(role="input", text=text, type=kind) for text, kind in (("a", "keras.Sequential"), ("b", second))
        ]
        facts = ErrorFacts(place=_at(1), parties=parties)
        return _case(source, 1, "ValueError", "Only input tensors", facts, _refused(1, *wanted))

    case = made("keras.Sequential")
    assert patches_of(case, _found(case))[0][1] == "+both = layers.Concatenate()([a.output, b.output])"
    case = made("keras.KerasTensor")
    assert patches_of(case, _found(case))[0][1] == "+both = layers.Concatenate()([a.output, b])"


def test_a_setting_that_held_in_earlier_calls_is_not_the_cause() -> None:
    source = "model = Sequential([LSTM(4, stateful=True)])\nmodel.fit(x)\nmodel.predict(one)\n"
    wanted = Demanded(
        kind="false", text="self.stateful", value="True", holder="LSTM", given_as="stateful", default="False"
    )
    message = "If an RNN is stateful, the batch size must be the same. Expected batch size: 16 Received batch size: 1"
    calls = [
        CallBegan(call=at, kind=kind, frames=[_at(at + 1)], model="m") for at, kind in ((1, "fit"), (2, "predict"))
    ]
    failed = CallEnded(call=2, raised="ValueError")
    facts = (_refused(3, wanted), *calls)
    assert setting_forbids.check(_case(source, 3, "ValueError", message, *facts, failed)) is not None
    well = _case(source, 3, "ValueError", message, *facts, CallEnded(call=1), failed)
    assert setting_forbids.check(well) is None
