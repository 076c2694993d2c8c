"""Two blocks of attention over texts of any length; one text is thirty times as long as the others."""

import tensorflow as tf
from tensorflow import keras

L = keras.layers


class Block(L.Layer):
    def __init__(self, width):
        super().__init__()
        self.attention = L.MultiHeadAttention(num_heads=4, key_dim=width // 4)
        self.norm = L.LayerNormalization()
        self.forward = L.Dense(width)

    def call(self, x):
        x = self.norm(x + self.attention(x, x))
        return x + self.forward(x)


def documents():
    for length in [128, 256, 200, 300, 190, 6000, 128]:
        yield tf.ones((4, length), tf.int32), tf.zeros((4, 1))


words = keras.Input((None,), dtype="int32")
x = Block(32)(Block(32)(L.Embedding(1000, 32)(words)))
model = keras.Model(words, L.Dense(1)(L.GlobalAveragePooling1D()(x)))
model.compile("adam", "mse")
signature = (tf.TensorSpec((None, None), tf.int32), tf.TensorSpec((None, 1), tf.float32))
data = tf.data.Dataset.from_generator(documents, output_signature=signature)
model.fit(data, epochs=1, verbose=0)  # <- cause
