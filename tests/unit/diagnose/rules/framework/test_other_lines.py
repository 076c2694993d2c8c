"""Rules whose line is not the one that failed: the import, the place that made the object, the option, the method.

FRM011 to FRM015, PRC024 to PRC026 and parts of FRM004, FRM005 and GRF020.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.case import Case
from whydied.diagnose.engine import fixes_of
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.framework import (
    load_failed,
    mixed_kerases,
    not_a_callback,
    outside_strategy_scope,
    rate_not_settable,
    setting_forbids,
    wrong_argument,
)
from whydied.diagnose.rules.python import json_keys_are_texts, option_not_declared, relative_path_moved
from whydied.records import ApiCalled, Argument, ClassSeen, Frame, OptimizerSeen, Record, ValueSource
from whydied.source.text import Source

OTHER = "/home/ann/parts.py"
UNSETTABLE = (
    "This optimizer was created with a `LearningRateSchedule` object as its `learning_rate` constructor argument, "
    "hence its learning rate is not settable."
)


def _case(records: Sequence[Record], source: str, other: str = "") -> Case:
    case = case_of(exit_code=1, process=records)
    case.recording.sources = {FILE: Source(source)}
    case.recording.project = {OTHER: Source(other)} if other else {}
    return case


def _told(
    check: Callable[[Case], Finding | None], records: Sequence[Record], source: str, other: str = ""
) -> tuple[Finding, int, str]:
    """What a rule says, its line, and its patch's new lines."""
    case = _case(records, source, other)
    found = check(case)
    assert found is not None
    assert found.location is not None
    patches = [fix.patch or "" for fix in fixes_of(case, [found])]
    added = [line[1:].strip() for line in "".join(patches).splitlines() if line[:1] == "+" and line[:3] != "+++"]
    return found, found.location.line, "; ".join(added)


def _call(function: str, *arguments: Argument, line: int = 5) -> ApiCalled:
    frame = Frame(file=FILE, line=line, function="build", user=True)
    return ApiCalled(link=0, callee=function, function=function, arguments=list(arguments), frame=frame)


def test_an_optimizer_of_the_other_keras_is_told_at_its_import() -> None:
    source = (
        "import tf_keras\nfrom tensorflow.keras.optimizers import Adam\n\nmodel = tf_keras.Sequential()\n"
        "model.compile(Adam(), 'mse')\nmodel.add(tf_keras.layers.Dense(1))\n"
    )
    given = Argument(parameter="optimizer", text="Adam()", position=0, type="keras.src.optimizers.adam.Adam")
    records = [_call("tf_keras.Model.compile", given), raised("ValueError", "Could not interpret optimizer <Adam>")]
    found, line, added = _told(mixed_kerases.check, records, source)
    assert (line, added) == (2, "from tf_keras.optimizers import Adam")
    assert found.certainty == "certain"
    assert "`tf_keras.Model.compile` on line 5 of train.py is of Keras 2" in found.message
    assert "TF_USE_LEGACY_KERAS=1" in found.advice[1]


def test_a_layer_of_the_programs_own_class_has_the_keras_of_its_parents() -> None:
    source = (
        "import tensorflow as tf\nfrom parts import Encoder\nfrom tensorflow.keras import layers\n\n"
        "model = tf.keras.Sequential()\nmodel.add(Encoder())\n"
    )
    other = "import tf_keras\n\nclass Encoder(tf_keras.layers.Layer):\n    pass\n"
    given = Argument(parameter="layer", text="Encoder()", position=0, type="parts.Encoder", keras=["tf_keras"])
    records = [_call("keras.Sequential.add", given, line=6), raised("ValueError", "Only instances of", number=6)]
    _, line, added = _told(mixed_kerases.check, records, source, other)
    assert line == 3
    assert added == "from tf_keras import layers; import tf_keras; model = tf_keras.Sequential()"


def test_objects_of_one_keras_are_not_mixed() -> None:
    given = Argument(parameter="layer", text="x", position=0, type="parts.Encoder", keras=["keras"])
    records = [_call("keras.Sequential.add", given), raised("ValueError", "Only instances of")]
    assert mixed_kerases.check(_case(records, "import keras\n")) is None


def test_a_model_outside_of_the_scope_is_put_into_it() -> None:
    source = (
        "def make():\n    return Model()\n\nstrategy = S()\nmodel = make()\nwith strategy.scope():\n"
        "    optimizer = Adam()\noptimizer.apply_gradients(zip(g, model.trainable_variables))\n"
    )
    message = (
        "`colocate_vars_with` must only be passed a variable created in this tf.distribute.Strategy.scope(), not: "
        "<tf.Variable 'dense/kernel:0' shape=(6, 8) dtype=float32>"
    )
    found, line, added = _told(outside_strategy_scope.check, [raised("ValueError", message, number=8)], source)
    assert line == 5
    assert added == "with strategy.scope():; model = make()"
    assert "`dense/kernel:0` is created outside" in found.message


def test_another_value_error_is_not_about_the_scope() -> None:
    assert outside_strategy_scope.check(_case([raised("ValueError", "a variable")], "x = 1\n")) is None


def test_a_schedule_that_a_callback_sets_is_told_where_the_optimizer_is_made() -> None:
    source = (
        "def make(rate):\n    decay = schedules.ExponentialDecay(rate, 10, 0.9)\n"
        "    return Adam(learning_rate=decay)\n\n"
        "model.fit(x, callbacks=[ReduceLROnPlateau()])\n"
    )
    made = OptimizerSeen(link=0, made=Frame(file=FILE, line=3, function="make", user=True))
    found, line, added = _told(rate_not_settable.check, [made, raised("TypeError", UNSETTABLE)], source)
    assert (line, added) == (3, "return Adam(learning_rate=rate)")
    assert "`ReduceLROnPlateau` of line 5 of train.py sets it" in found.message


def test_an_option_with_its_value_in_its_name() -> None:
    source = (
        "import argparse\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('--batch-size=5', default=1, type=int)\nargs = parser.parse_args()\n"
        "print(args.batch_size)\n"
    )
    missing = raised("AttributeError", "no attribute", wanted="batch_size", wanted_in="argparse.Namespace")
    found, line, added = _told(option_not_declared.check, [missing], source)
    assert (line, added) == (3, 'parser.add_argument("--batch-size", default=5, type=int)')
    assert found.certainty == "likely"


def test_an_option_that_is_not_there_at_all_is_left_to_its_near_names() -> None:
    source = "parser.add_argument('--epochs', default=1)\nargs = parser.parse_args()\nprint(args.batch_size)\n"
    missing = raised("AttributeError", "no", number=3, wanted="batch_size", wanted_in="argparse.Namespace")
    assert option_not_declared.check(_case([missing], source)) is None


def test_a_relative_path_after_chdir() -> None:
    source = "import os\n\nos.chdir('work')\n\nload('models/a.h5')\n"
    missing = raised(
        "FileNotFoundError",
        "No such file or directory: 'models/a.h5'",
        wanted="/data/work/models/a.h5",
        wanted_in="/data/work",
        near=["/data/models/a.h5"],
    )
    found, line, _ = _told(relative_path_moved.check, [missing], source)
    assert line == 3
    assert "changes to /data/work here, and line 5 of train.py opens 'models/a.h5'" in found.message


def test_a_file_of_another_name_is_no_moved_path() -> None:
    missing = raised("FileNotFoundError", "'/data/x.npy'", wanted="/data/x.npy", near=["/data/y.npy"])
    assert relative_path_moved.check(_case([missing], "load('/data/x.npy')\n")) is None


def test_a_text_for_a_number_is_told_at_the_option_that_it_comes_from() -> None:
    source = (
        "class Data:\n    def __init__(self, size):\n        self.size = size\n    def all(self):\n"
        "        return data.batch(self.size)\n"
    )
    other = "parser.add_argument('--batch-size', type=str)\nargs = parser.parse_args()\nData(args.batch_size)\n"
    given = Argument(
        parameter="batch_size",
        text="self.size",
        position=0,
        type="str",
        value="'8'",
        says="A `tf.int64` scalar `tf.Tensor`.",
    )
    records = [_call("tensorflow.DatasetV2.batch", given), raised("TypeError", "Cannot convert '8' to EagerTensor")]
    found, line, added = _told(wrong_argument.check, records, source, other)
    assert found.location is not None
    assert (found.location.file, line) == (OTHER, 1)
    assert added == "parser.add_argument('--batch-size', type=int)"
    assert "the option '--batch-size' is declared with type=str" in found.message


def test_a_text_out_of_yaml_becomes_a_number() -> None:
    source = "import yaml\n\nsettings = yaml.safe_load(f)\n\nAdam(learning_rate=settings['lr'])\n"
    given = Argument(parameter="learning_rate", text="settings['lr']", type="str", value="'5e-4'", says="A float.")
    records = [_call("keras.Adam", given), raised("ValueError", "Argument `learning_rate` should be float")]
    found, line, added = _told(wrong_argument.check, records, source)
    assert (line, added) == (5, "Adam(learning_rate=float(settings['lr']))")
    assert found.advice[1] == "Or write the number with a point in the YAML file: 5.0e-4."


def test_an_integer_that_is_refused_for_a_float() -> None:
    source = "for rate in [1, 0.1]:\n    pass\n\n\nSGD(learning_rate=1)\n"
    given = Argument(parameter="learning_rate", text="1", type="int", value="1", says="A float.")
    refused = "Argument `learning_rate` should be float, or an instance of LearningRateSchedule"
    _, _, added = _told(wrong_argument.check, [_call("keras.SGD", given), raised("ValueError", refused)], source)
    assert added == "SGD(learning_rate=1.0)"
    assert wrong_argument.check(_case([_call("keras.SGD", given), raised("ValueError", "no")], source)) is None


def test_a_length_that_is_a_float_is_told_in_the_method() -> None:
    source = "model = Model()\n\n\n\nmodel.fit(Batches())\n"
    other = "class Batches:\n    def __len__(self):\n        return np.ceil(self.rows / 8)\n"
    given = Argument(parameter="x", text="Batches()", position=0, type="parts.Batches", says="Input data.")
    message = "'numpy.float64' object cannot be interpreted as an integer"
    records = [_call("keras.Trainer.fit", given), raised("TypeError", message)]
    found, line, added = _told(wrong_argument.check, records, source, other)
    assert (line, added) == (3, "return int(np.ceil(self.rows / 8))")
    assert found.culprit is not None
    assert found.culprit.name == "Batches.__len__"
    assert wrong_argument.check(_case(records, source, other.replace("np.ceil(self.rows / 8)", "self.count"))) is None


def test_a_name_in_the_configuration_of_a_class_whose_parent_takes_none() -> None:
    source = (
        "class Clip(Constraint):\n    def __init__(self, c=2):\n        self.c = c\n\n    def get_config(self):\n"
        "        return {'name': 'clip', 'c': self.c}\n\nload_model('a.keras')\n"
    )
    seen = ClassSeen(
        name="Clip",
        kind="class",
        file=FILE,
        line=2,
        methods={"__init__": 2, "get_config": 5},
        parent_takes_any=False,
    )
    message = (
        "<class 'Clip'> could not be deserialized properly. Exception encountered: Clip.__init__() got an unexpected "
        "keyword argument 'name'"
    )
    found, _, added = _told(load_failed.check, [seen, raised("TypeError", message, number=8)], source)
    assert added == "return {'c': self.c}"
    assert "get_config puts it there on line 6 of train.py" in found.message


def test_loaded_code_misses_the_names_of_its_file() -> None:
    source = "import tensorflow as tf\n\n\ndef build():\n    return Lambda(lambda x: tf.abs(x), name='size')\n"
    missing = raised("NameError", "name 'tf'", wanted="tf", wanted_in="code that was loaded from a file")
    found, line, added = _told(load_failed.check, [missing], source)
    assert line == 5
    assert added == (
        "@tf.keras.utils.register_keras_serializable(); def size_function(x):; return tf.abs(x); ; ; "
        "return Lambda(size_function, name='size')"
    )
    assert found.certainty == "certain"


def test_a_lambda_that_needs_nothing_may_be_loaded_as_it_is() -> None:
    refused = raised(
        "ValueError", "Requested the deserialization of a `Lambda` layer whose `function` is a Python lambda.", number=3
    )
    source = (
        "import keras\nmodel = keras.Sequential([keras.layers.Lambda(lambda x: 2 * x)])\nkeras.models.load_model(p)\n"
    )
    _, line, added = _told(load_failed.check, [refused], source)
    assert line == 3
    assert added.startswith("keras.models.load_model(p, safe_mode=False)")
    found, line, added = _told(load_failed.check, [refused], source.replace("2 * x", "keras.ops.abs(x)"))
    assert line == 2
    assert "safe_mode" not in added
    assert "it would miss `keras`" in found.message


def test_keys_out_of_json_are_told_where_they_are_read() -> None:
    source = "names = read('a.json')\n\n\n\nprint(names[3])\n"
    other = "import json\n\ndef read(path):\n    with open(path) as f:\n        return json.load(f)\n"
    missing = raised("KeyError", "3", wanted="3", holder="names", near=["'3'"], keys=["'0'", "'3'"])
    found, line, added = _told(json_keys_are_texts.check, [missing], source, other)
    assert (line, added) == (5, "return {int(key): value for key, value in json.load(f).items()}")
    assert "`names` on line 5 of train.py is asked for the number 3" in found.message
    assert json_keys_are_texts.check(_case([missing], source)) is None


def test_a_setting_that_forbids_it_is_given_where_the_file_is_opened() -> None:
    source = "import numpy as np\n\nvocab = np.load(path)\n\nprint(vocab['words'])\n"
    refused = raised("ValueError", "Object arrays cannot be loaded when allow_pickle=False")
    _, line, added = _told(setting_forbids.check, [refused], source)
    assert (line, added) == (3, "vocab = np.load(path, allow_pickle=True)")
    assert setting_forbids.check(_case([refused], source.replace("path)", "path, allow_pickle=False)"))) is None


def test_a_class_that_is_not_a_callback_is_told_at_its_definition() -> None:
    other = "class Log:\n    def __init__(self):\n        self.lines = []\n"
    given = Argument(parameter="callbacks", text="[Log()]", type="list", held=["parts.Log"])
    records = [_call("keras.Trainer.fit", given), raised("AttributeError", "'Log' object has no attribute 'set_model'")]
    found, line, added = _told(not_a_callback.check, records, "\n\n\n\nmodel.fit(x, callbacks=[Log()])\n", other)
    assert line == 1
    assert added == "import keras; class Log(keras.callbacks.Callback):; super().__init__()"
    assert "line 5 of train.py passes one" in found.message


def test_a_set_around_the_callbacks() -> None:
    source = "\n\n\nsaving = {Checkpoint()}\nmodel.fit(x, callbacks=[saving])\n"
    given = Argument(parameter="callbacks", text="[saving]", type="list", held=["set"])
    records = [
        _call("keras.Trainer.fit", given),
        raised("AttributeError", "'set' object has no attribute 'set_model'"),
    ]
    case = _case([msgspec.structs.replace(records[0], callee="model.fit"), records[1]], source)
    found = not_a_callback.check(case)
    assert found is not None
    assert found.advice == ["Pass one list of callbacks: `callbacks=list(saving)`."]
    other = raised("AttributeError", "'set' object has no attribute 'append'")
    assert not_a_callback.check(_case([records[0], other], source)) is None


def test_a_callback_that_keeps_the_model_from_its_parent() -> None:
    source = (
        "class Log(keras.callbacks.Callback):\n    def set_model(self, model):\n        self.layers = 3\n"
        "    def on_epoch_end(self, epoch, logs=None):\n        self.model.predict(x)\n"
    )
    missing = raised("AttributeError", "'NoneType' object has no attribute 'predict'")
    _, line, added = _told(not_a_callback.check, [missing], source)
    assert (line, added) == (2, "super().set_model(model)")
    passed_on = source.replace("self.layers = 3", "super().set_model(model)")
    assert not_a_callback.check(_case([missing], passed_on)) is None


def test_none_that_a_search_gave_is_told_with_the_line_that_writes() -> None:
    source = (
        "saver.save(sess, folder + 'model')\n\npath = tf.train.latest_checkpoint(root)\n\nsaver.restore(sess, path)\n"
    )
    made = ValueSource(
        kind="variable",
        name="path",
        text="tf.train.latest_checkpoint(root)",
        frame=Frame(file=FILE, line=3, function="", user=True),
    )
    given = Argument(parameter="save_path", text="path", position=1, type="NoneType", sources=[made])
    records = [_call("tensorflow.Saver.restore", given), raised("ValueError", "Can't load save_path when it is None.")]
    found, line, _ = _told(wrong_argument.check, records, source)
    assert line == 3
    assert "line 1 of train.py writes to `folder + 'model'`" in found.message


def test_a_list_where_a_dictionary_is_taken() -> None:
    source = "\n\n\n\nmodel.fit(x, class_weight=weights)\n"
    says = "Optional dictionary mapping class indices (integers) to a weight (float) value, used for weighting."
    given = Argument(parameter="class_weight", text="weights", type="list", says=says, default="None", held=["float"])
    records = [_call("keras.Trainer.fit", given), raised("AttributeError", "'list' object has no attribute 'get'")]
    _, _, added = _told(wrong_argument.check, records, source)
    assert added == "model.fit(x, class_weight=dict(enumerate(weights)))"
    own = raised("AttributeError", "'Weights' object has no attribute 'get'")
    assert wrong_argument.check(_case([records[0], own], source)) is None


def test_the_private_copy_of_keras_is_told_at_its_import() -> None:
    source = "from tensorflow.python.keras.models import Model\n\n\n\nmodel.compile(tf.keras.optimizers.Adam())\n"
    given = Argument(parameter="optimizer", text="tf.keras.optimizers.Adam()", type="keras.src.optimizers.adam.Adam")
    records = [_call("tensorflow.Model.compile", given), raised("ValueError", "Could not interpret optimizer")]
    _, line, added = _told(mixed_kerases.check, records, source)
    assert (line, added) == (1, "from tensorflow.keras.models import Model")
