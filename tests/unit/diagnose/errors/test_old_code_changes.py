"""Old names and arguments as changes of source."""

from __future__ import annotations

from tests.unit.diagnose.case_of import FILE, case_of, raised
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.errors.old_code_changes import old_code_changes
from whydied.records import ApiMissed, Frame
from whydied.source.text import Source


def _patches(source: str, line: int, **facts: object) -> list[list[str]]:
    frame = Frame(file=FILE, line=line, function="<module>", user=True)
    fields = {
        "link": 0,
        "version": "3",
        "kind": "name",
        "library": "tensorflow",
        "known_from": "a table",
        "frame": frame,
    } | facts
    fields.setdefault("written", fields["old"])
    missed = ApiMissed(**fields)  # type: ignore[arg-type]
    case = case_of(exit_code=1, process=[raised("AttributeError", "gone", number=line), missed])
    case.recording.sources[FILE] = Source(source)
    return patches_of(case, old_code_changes(case, missed))


PROGRAM = "import tensorflow as tf\nx = tf.placeholder(tf.float32)\nwith tf.Session() as s:\n    s.run(x)\n"
AS_IT_IS = ["-import tensorflow as tf", "+import tensorflow.compat.v1 as tf", "+", "+tf.disable_v2_behavior()"]


def test_a_program_of_tensorflow_1_runs_as_it_is() -> None:
    missed = {"old": "tf.placeholder", "new": ["tf.compat.v1.placeholder"]}
    assert _patches(PROGRAM, 2, change="x = tf.compat.v1.placeholder(tf.float32)", **missed) == [AS_IT_IS]


def test_one_old_name_is_only_renamed() -> None:
    source = "import tensorflow as tf\ntf.set_random_seed(1)\n"
    renamed = {"old": "tf.set_random_seed", "new": ["tf.compat.v1.set_random_seed"]}
    line = ["-tf.set_random_seed(1)", "+tf.compat.v1.set_random_seed(1)"]
    assert _patches(source, 2, change=line[1][1:], **renamed) == [line]
    assert _patches(source + "tf.trainable_variables()\n", 2, change=line[1][1:], **renamed) == [AS_IT_IS, line]
    imported = source.replace("import tensorflow as tf", "import tensorflow as tf, keras")
    assert _patches(imported + "tf.trainable_variables()\n", 2, change=line[1][1:], **renamed) == [line]


def test_all_old_names_of_a_file_are_renamed_and_the_import_added() -> None:
    source = "import keras.backend as K\ndef f(a):\n    return K.mean(K.square(a))\ndef g(a):\n    return K.mean(a)\n"
    facts = {"old": "K.mean", "new": ["keras.ops.mean"], "change": "return keras.ops.mean(K.square(a))"}
    changed = _patches(source, 3, library="keras", also={"K.square": "keras.ops.square"}, **facts)[0]
    assert [line for line in changed if line.startswith("+")] == [
        "+from keras.ops import mean",
        "+from keras.ops import square",
        "+    return mean(square(a))",
        "+    return mean(a)",
    ]
    own = source.replace("def g(a)", "def mean(a)")
    changed = _patches(own, 3, library="keras", **facts)[0]
    assert "+from keras import ops" in changed
    assert "+    return ops.mean(K.square(a))" in changed


def test_arguments_are_renamed_or_dropped_where_they_are() -> None:
    source = "model.fit(\n    x,\n    nb_epoch=3,\n    workers=2, max_queue_size=9)\n"
    facts = {"kind": "argument", "callee": "model.fit"}
    assert _patches(source, 1, old="nb_epoch", new=["epochs"], **facts) == [["-    nb_epoch=3,", "+    epochs=3,"]]
    assert _patches(source, 1, old="workers", **facts) == [
        ["-    nb_epoch=3,", "-    workers=2, max_queue_size=9)", "+    nb_epoch=3)"]
    ]
    assert _patches("f(lr=1, x=g(lr=2))\n", 1, old="lr", new=["learning_rate"], **facts) == []


def test_an_argument_is_renamed_in_all_calls_of_the_function() -> None:
    source = "a = tf.reduce_mean(x, keep_dims=True)\nb = tf.reduce_sum(x, keep_dims=True)\nc = f(x, keep_dims=True)\n"
    facts = {"kind": "argument", "callee": "tf.reduce_mean", "old": "keep_dims", "new": ["keepdims"]}
    changed = _patches(source, 1, change="a = tf.reduce_mean(x, keepdims=True)", **facts)[0]
    assert [line for line in changed if line.startswith("+")] == [
        "+a = tf.reduce_mean(x, keepdims=True)",
        "+b = tf.reduce_sum(x, keepdims=True)",
    ]
    kept = {"kind": "argument", "callee": "tf.nn.dropout", "old": "keep_prob", "new": ["rate"]}
    source = "a = tf.nn.dropout(x, keep_prob=0.8)\nb = tf.nn.dropout(x, keep_prob=0.5)\n"
    changed = _patches(source, 1, change="a = tf.nn.dropout(x, rate=1 - 0.8)", **kept)[0]
    assert [line for line in changed if line.startswith("+")] == ["+a = tf.nn.dropout(x, rate=1 - 0.8)"]


def test_a_function_that_became_a_layer_is_called_on_its_input() -> None:
    source = "h = tf.layers.dropout(tf.nn.relu(x), 0.5, training=flag, name='d')\n"
    assert _patches(source, 1, old="tf.layers.dropout", new=["tf.keras.layers.Dropout"]) == [
        [f"-{source.strip()}", "+h = tf.keras.layers.Dropout(0.5, name='d')(tf.nn.relu(x), training=flag)"]
    ]
    assert _patches("f = tf.layers.dense\n", 1, old="tf.layers.dense", new=["tf.keras.layers.Dense"]) == []


def test_methods_whose_new_form_is_more_than_a_name() -> None:
    facts = {"kind": "method", "old": "net.predict_classes", "new": ["net.predict"]}
    source = "a = net.predict_classes(x, verbose=0)\nnet.add(Dense(1, activation='{}'))\n"
    largest = "+a = net.predict(x, verbose=0).argmax(axis=-1)"
    assert _patches(source.format("softmax"), 1, **facts)[0][1] == largest
    half = '+a = (net.predict(x, verbose=0) > 0.5).astype("int32")'
    assert _patches(source.format("sigmoid"), 1, **facts)[0][1] == half
    asked = {"kind": "method", "old": "data.make_one_shot_iterator", "new": ["iter(data)"]}
    assert _patches("n = data.make_one_shot_iterator().get_next()\n", 1, **asked)[0][1] == "+n = iter(data).get_next()"
    shape = {"kind": "method", "old": "net.output_shape", "new": ["net.output"]}
    assert _patches("print(net.output_shape)\n", 1, **shape)[0][1] == "+print(net.output.shape)"


def test_a_keras_program_keeps_its_mode() -> None:
    source = "import tensorflow as tf\nfrom tensorflow.keras import layers\ns = tf.Session(config=c)\n"
    facts = {"old": "tf.Session", "new": ["tf.compat.v1.Session"], "change": "s = tf.compat.v1.Session(config=c)"}
    assert _patches(source, 3, **facts) == [["-s = tf.Session(config=c)", "+s = tf.compat.v1.Session(config=c)"]]


def test_a_row_that_was_appended_is_joined_with_the_other_appends_left_as_they_are() -> None:
    text = "import pandas as pd\nrows = []\nrows.append(1)\nboth = a.append(b)\n"
    facts = {"old": "DataFrame.append", "kind": "method", "library": "pandas", "written": "a.append"}
    assert _patches(text, 4, **facts, former=["pandas.DataFrame.append"]) == [
        ["-both = a.append(b)", "+both = pd.concat([a, b])"]
    ]


def test_what_a_form_has_no_place_for_gives_no_change() -> None:
    text = "import pandas as pd\nboth = a.append(b, unknown=1)\n"
    facts = {"old": "DataFrame.append", "kind": "method", "library": "pandas", "written": "a.append"}
    assert _patches(text, 2, **facts, former=["pandas.DataFrame.append"]) == []


def test_a_method_that_tables_alone_had_is_renamed_for_all_of_them() -> None:
    text = "a = x.as_matrix()\nb = y.as_matrix()\n"
    facts = {"old": "DataFrame.as_matrix", "kind": "method", "library": "pandas", "written": "x.as_matrix"}
    assert _patches(text, 1, **facts, former=["pandas.DataFrame.as_matrix"]) == [
        ["-a = x.as_matrix()", "-b = y.as_matrix()", "+a = x.to_numpy()", "+b = y.to_numpy()"]
    ]


def test_arguments_by_position_get_their_names_in_calls_with_as_many() -> None:
    text = 'a = x.drop("c", 1)\nb = y.drop("d")\nc = y.drop("e", 1)\n'
    facts = {"old": "1", "kind": "argument", "library": "pandas", "callee": "x.drop", "by_position": ["axis"]}
    assert _patches(text, 1, **facts) == [
        ['-a = x.drop("c", 1)', '+a = x.drop("c", axis=1)', '-c = y.drop("e", 1)', '+c = y.drop("e", axis=1)']
    ]


def test_an_encoder_of_chosen_columns_becomes_a_transformer_of_columns() -> None:
    text = (
        "from sklearn.preprocessing import OneHotEncoder\n"
        "coder = OneHotEncoder(categorical_features=[0], sparse=True)\n"
        "X = coder.fit_transform(X).toarray()\nZ = other.fit_transform(Z).toarray()\n"
    )
    facts = {"old": "categorical_features", "kind": "argument", "library": "sklearn", "callee": "OneHotEncoder"}
    patches = _patches(text, 2, **facts, former=["sklearn.OneHotEncoder categorical_features"])
    assert patches == [
        [
            "-coder = OneHotEncoder(categorical_features=[0], sparse=True)",
            "-X = coder.fit_transform(X).toarray()",
            "+from sklearn.compose import ColumnTransformer",
            '+coder = ColumnTransformer([("onehot", OneHotEncoder(), [0])], remainder="passthrough", '
            "sparse_threshold=0)",
            "+X = coder.fit_transform(X).astype(float)",
        ]
    ]
