"""One vector becomes a sequence of context vectors by a layer of its own, which an LSTM then reads."""
import numpy as np
import tensorflow as tf
from tensorflow.keras import initializers
from tensorflow.keras.layers import LSTM, Dense, Input, Layer


class ContextLayer(Layer):
    def __init__(self, output_dim, context_size, init="random_uniform", **kwargs):
        self.output_dim = output_dim
        self.context_size = context_size
        super(ContextLayer, self).__init__(**kwargs)
        self.init = initializers.get(init)

    def build(self, input_shape):
        input_dim = input_shape[1]
        self.W_vec = self.add_weight(name="W_vec", shape=(self.context_size, input_dim, self.output_dim),
                                     initializer=self.init, trainable=True)
        super(ContextLayer, self).build(input_shape)

    def call(self, x):
        return tf.einsum("bi,cio->bco", x, self.W_vec)

    def compute_output_shape(self, input_shape):
        return (input_shape[0], self.context_size, self.output_dim)


def sentences(count=256, dim=20):
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(count, dim)).astype("float32")
    labels = (vectors[:, :3].sum(axis=1) > 0).astype("float32")
    return vectors, labels


def build_model(dim):
    inputs = Input((dim,))
    contexts = ContextLayer(12, 5, name="contexts")(inputs)
    state = LSTM(16)(contexts)
    outputs = Dense(1, activation="sigmoid")(state)
    return tf.keras.Model(inputs, outputs)


vectors, labels = sentences()
model = build_model(vectors.shape[1])
model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
model.fit(vectors, labels, epochs=3, batch_size=32, verbose=2)
print("weights of the layer:", model.get_layer("contexts").W_vec.shape)
