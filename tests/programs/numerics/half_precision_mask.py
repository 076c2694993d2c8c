"""The mask of an attention with the usual -1e9, which mixed precision makes infinite: zero times that is NaN."""

import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
keras.mixed_precision.set_global_policy("mixed_float16")


class Attention(keras.layers.Layer):
    def build(self, shape):
        self.scale = self.add_weight(shape=(shape[-1],), initializer="ones", name="scale")

    def call(self, x):
        scores = tf.matmul(x * self.scale, x, transpose_b=True)
        padded = tf.cast(tf.reduce_all(tf.equal(x, 0), axis=-1), scores.dtype)
        scores += padded[:, None, :] * -1e9  # <- cause
        return tf.matmul(tf.nn.softmax(scores), x)


x = np.random.RandomState(0).normal(size=(64, 6, 4)).astype("float32")
x[:, 4:] = 0
inputs = keras.Input((6, 4))
pooled = keras.layers.GlobalAveragePooling1D()(Attention(name="attention")(inputs))
model = keras.Model(inputs, keras.layers.Dense(1, dtype="float32")(pooled))
model.compile("adam", "mse")
model.fit(x, x.sum((1, 2)), batch_size=16, verbose=0)
