"""Reviews of films: attention with several heads, written with the functions of the Keras backend."""

import numpy as np
import tensorflow as tf
import tf_keras as keras
from tf_keras import backend as K

WORDS, LONGEST, WIDTH = 50, 9, 12


class Attention(keras.layers.Layer):
    def __init__(self, heads, size, **kwargs):
        super().__init__(**kwargs)
        self.heads, self.size = heads, size

    def build(self, input_shape):
        self.q, self.k, self.v = (keras.layers.Dense(self.heads * self.size, use_bias=False) for _ in range(3))
        super().build(input_shape)

    def split(self, x):
        return K.reshape(x, (-1, K.shape(x)[1], self.heads, self.size))

    def call(self, x):
        qw, kw, vw = self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))
        a = K.batch_dot(qw, kw, [3, 3]) / self.size**0.5  # <- cause
        a = K.permute_dimensions(a, (0, 3, 2, 1))  # <- cause
        a = K.softmax(a)
        o = tf.einsum("bhjk,bkhd->bjhd", a, vw)
        return K.reshape(o, (-1, K.shape(o)[1], self.heads * self.size))


def network():
    tokens = keras.Input((LONGEST,), dtype="int32")
    x = keras.layers.Embedding(WORDS, WIDTH)(tokens)
    x = Attention(4, 3)(x)
    x = keras.layers.GlobalAveragePooling1D()(x)
    return keras.Model(tokens, keras.layers.Dense(1, activation="sigmoid")(x))


def main():
    rng = np.random.default_rng(8)
    model = network()
    model.compile("adam", "binary_crossentropy")
    history = model.fit(rng.integers(0, WORDS, (40, LONGEST)), rng.integers(0, 2, 40), verbose=0)
    print("loss", round(history.history["loss"][0], 3))


if __name__ == "__main__":
    main()
