"""Well logs in double precision: a layer that scales each column by what was measured before."""

import numpy as np
import tensorflow as tf

tf.keras.backend.set_floatx("float64")


class ColumnScale(tf.keras.layers.Layer):
    def __init__(self, spans, **kwargs):
        super().__init__(**kwargs)
        self.spans = spans

    def build(self, input_shape):
        self.factor = tf.constant(1.0 / np.asarray(self.spans), self.compute_dtype)
        self.gain = self.add_weight(shape=(input_shape[-1],), initializer="ones", name="gain")

    def call(self, inputs):
        return inputs * self.factor * self.gain


def logs(count=80, columns=5):
    rng = np.random.default_rng(19)
    values = rng.normal(size=(count, columns)) * [1.0, 10.0, 100.0, 5.0, 2.0]
    return values, values.sum(axis=1, keepdims=True)


def network(spans):
    return tf.keras.Sequential(
        [
            tf.keras.layers.Input((len(spans),)),
            ColumnScale(spans),
            tf.keras.layers.Dense(8, activation="relu"),
            tf.keras.layers.Dense(1),
        ]
    )


def main():
    values, depth = logs()
    model = network(np.ptp(values, axis=0))
    model.compile("adam", "mse")
    history = model.fit(values, depth, epochs=2, verbose=0)
    print("loss", [round(v, 1) for v in history.history["loss"]])


if __name__ == "__main__":
    main()
