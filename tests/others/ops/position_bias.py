import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf

tf.keras.mixed_precision.set_global_policy("mixed_float16")


class TurnedAttention(tf.keras.layers.Layer):
    """Turns pairs of features by an angle that depends on the position."""

    def build(self, shape):
        length, width = shape[1], shape[2]
        angle = np.arange(length)[:, None] / 100 ** (np.arange(width // 2)[None] / (width // 2))
        self.sine = tf.constant(np.repeat(np.sin(angle), 2, axis=1), dtype="float32")  # <- cause
        self.cosine = tf.constant(np.repeat(np.cos(angle), 2, axis=1), dtype="float32")  # <- cause

    def call(self, x):
        turned = tf.stack([-x[..., 1::2], x[..., ::2]], axis=-1)
        turned = tf.reshape(turned, tf.shape(x))
        return x * self.cosine + turned * self.sine


def network(length=10, width=8):
    tokens = tf.keras.Input((length, width))
    x = tf.keras.layers.Dense(width)(tokens)
    x = TurnedAttention()(x)
    x = tf.keras.layers.GlobalAveragePooling1D()(x)
    return tf.keras.Model(tokens, tf.keras.layers.Dense(2, activation="softmax", dtype="float32")(x))


def main():
    rng = np.random.default_rng(16)
    model = network()
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit(rng.normal(size=(64, 10, 8)).astype("float32"), rng.integers(0, 2, 64), epochs=1, verbose=2)


main()
