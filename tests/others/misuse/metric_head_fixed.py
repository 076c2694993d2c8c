"""Embeddings of products on the unit sphere, trained to tell products of one kind from the others."""

import keras
import numpy as np
from keras import layers


class UnitEmbedding(layers.Layer):
    """A dense layer whose outputs have length one."""

    def __init__(self, units, activation=None, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.dense = layers.Dense(units, activation=activation)

    def build(self, input_shape):
        self.dense.build(input_shape)

    def call(self, inputs):
        outputs = self.dense(inputs)
        return outputs / (keras.ops.norm(outputs, axis=-1, keepdims=True) + 1e-6)


def network(features, kinds):
    inputs = layers.Input((features,), name="product")
    hidden = layers.Dense(16, activation="relu", name="hidden")(inputs)
    embedded = UnitEmbedding(8, name="metric_embedding")(hidden)
    scores = layers.Dense(kinds, name="scores")(embedded)
    return keras.Model(inputs, scores)


def products(count, features, kinds):
    draw = np.random.default_rng(31)
    kind = draw.integers(0, kinds, count)
    centres = draw.normal(0, 2, (kinds, features))
    return (centres[kind] + draw.normal(size=(count, features))).astype("float32"), kind


if __name__ == "__main__":
    x, y = products(300, 12, 4)
    model = network(12, 4)
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(x, y, epochs=1, verbose=0)
    print(keras.Model(model.input, model.get_layer("metric_embedding").output).predict(x[:2], verbose=0).shape)
