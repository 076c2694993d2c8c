"""What the advice about misused names, calls, classes, sessions and data changes in programs of the corpus, from their
stored recordings. `benchmarks/advice.py` applies the same patches and runs the programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from recordings import path_of, unpack
from whydied.read.recording import load
from whydied.report.finish import compose

V1 = ["-import tensorflow as tf", "+import tensorflow.compat.v1 as tf", "+", "+tf.disable_v2_behavior()"]
PATCHES = {
    "errors_mixed/callback_asks_for_metric": [
        ['-        score = logs["val_acc"]  # <- cause', '+        score = logs["val_accuracy"]  # <- cause']
    ],
    "errors_mixed/generator_gives_nothing": [
        [
            "-            yield np.ones((2, 2), np.float32), label  # <- cause",
            "+            if label is not None:",
            "+                yield np.ones((2, 2), np.float32), label  # <- cause",
        ]
    ],
    "errors_mixed/picture_is_a_web_page": [
        [
            "-for batch in names.map(decoded).batch(4):",
            "+for batch in names.map(decoded).ignore_errors().batch(4):",
        ]
    ],
    "framework/callback_takes_no_logs": [
        [
            "-    def on_epoch_end(self, epoch):  # <- cause",
            "+    def on_epoch_end(self, epoch, logs=None):  # <- cause",
        ]
    ],
    "old_code/epochs_name": [["-    nb_epoch=3,", "+    epochs=3,"]],
    "old_code/session_of_one": [V1],
    "plain/missing_file": [['-print(load("lables.csv"))', '+print(load("labels.csv"))']],
    "plain/wrong_keyword": [["-    test_fracton=0.3,", "+    test_fraction=0.3,"]],
    "saving/build_has_other_name": [
        ["-    def build_weights(self, input_shape):  # <- cause", "+    def build(self, input_shape):  # <- cause"]
    ],
    "saving/configuration_forgets": [
        [
            "-        return super().get_config()",
            '+        return {**super().get_config(), "column": self.column}',
        ]
    ],
    "saving/constructor_not_begun": [["+        super().__init__()"]],
    "saving/constructor_takes_no_name": [
        [
            "-    def __init__(self, gain):  # <- cause",
            "-        super().__init__()",
            "+    def __init__(self, gain, **kwargs):  # <- cause",
            "+        super().__init__(**kwargs)",
        ]
    ],
    "saving/forward_for_call": [["-    def forward(self, x):  # <- cause", "+    def call(self, x):  # <- cause"]],
    "saving/no_configuration": [
        [
            "+    def get_config(self):",
            '+        return {**super().get_config(), "table": {"rows": self.table.rows}}',
            "+",
            "+    @classmethod",
            "+    def from_config(cls, config):",
            '+        return cls(**{**config, "table": Table(**config["table"])})',
            "+",
        ]
    ],
    "saving/layer_made_in_call": [
        [
            "+    def __init__(self, **kwargs):",
            "+        super().__init__(**kwargs)",
            '+        self.dense = keras.layers.Dense(4, activation="relu")',
            "+        self.dense_2 = keras.layers.Dense(1)",
            "+",
            '-        x = keras.layers.Dense(4, activation="relu")(x)  # <- cause',
            "-        return keras.layers.Dense(1)(x)",
            "+        x = self.dense(x)  # <- cause",
            "+        return self.dense_2(x)",
        ]
    ],
    "saving/saved_model_directory": [
        [
            "-    tf.keras.models.load_model(path)  # <- cause",
            '+    tf.keras.layers.TFSMLayer(path, call_endpoint="serving_default")  # <- cause',
        ]
    ],
    "saving/saved_without_ending": [
        ['-model.save("model_final")  # <- cause', '+model.save("model_final.keras")  # <- cause'],
        ['-model.save("model_final")  # <- cause', '+model.export("model_final")  # <- cause'],
    ],
    "saving/unknown_layer_class": [
        [
            "-    model = keras.models.load_model(path)  # <- cause",
            '+    model = keras.models.load_model(path, custom_objects={"Scale": Scale})  # <- cause',
        ],
        ["+@keras.saving.register_keras_serializable()"],
    ],
    "saving/unknown_layer_in_h5": [["+    @tf.keras.saving.register_keras_serializable()"]],
    "saving/variable_in_function": [
        ["+weight = tf.Variable(2.0)  # <- cause", "+", "+", "-    weight = tf.Variable(2.0)  # <- cause"]
    ],
    "sessions/eager_fetched": [
        ["+tf.compat.v1.disable_eager_execution()", "+"],
        ["-print(session.run(answer))  # <- cause", "+print(answer.numpy())  # <- cause"],
    ],
    "sessions/finalised_in_loop": [["-tf.get_default_graph().finalize()"]],
    "sessions/loss_outside_of_tape": [
        ["-loss = tf.reduce_sum(output)  # <- cause", "+    loss = tf.reduce_sum(output)  # <- cause"]
    ],
    "sessions/more_steps_than_batches": [
        ["-batches = iter(dataset)", "+batches = iter(dataset.repeat())"],
        [
            "-    total.assign_add(tf.reduce_sum(next(batches)))  # <- cause",
            "+    try:",
            "+        total.assign_add(tf.reduce_sum(next(batches)))  # <- cause",
            "+    except StopIteration:",
            "+        break",
        ],
    ],
    "sessions/never_initialised": [["+    session.run(tf.global_variables_initializer())"]],
    "sessions/numpy_in_function": [
        ["-    return x / peak.numpy()  # <- cause", "+    return x / peak  # <- cause"]
    ],
    "sessions/session_of_another_graph": [
        [
            "-        self.session = tf.Session()  # <- cause",
            "+        self.session = tf.Session(graph=self.graph)  # <- cause",
        ]
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", PATCHES)
def test_the_advice_is_a_patch(name: str, tmp_path: Path) -> None:
    report = compose(load(unpack(path_of(name).read_bytes(), tmp_path).run))
    assert report.internal_errors == []
    found = [[line for line in (fix.patch or "").splitlines()[2:] if line[:1] in "+-"] for fix in report.fixes]
    assert found == PATCHES[name]
