"""Topics of papers from their words and their citations: two graph convolutions."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import activations, initializers, regularizers

PAPERS, WORDS, TOPICS = 90, 40, 3


class GraphConvolution(tf.keras.layers.Layer):
    def __init__(self, units, activation=None, use_bias=True, kernel_regularizer=None, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_regularizer = regularizers.get(kernel_regularizer)

    def build(self, input_shapes):
        features = input_shapes[0][-1]
        self.kernel = self.add_weight(shape=(features, self.units), regularizer=self.kernel_regularizer, name="kernel")
        if self.use_bias:
            self.bias = self.add_weight(shape=(self.units,), initializer=initializers.Zeros(), name="bias")
        else:
            self.bias = None

    def call(self, inputs):
        features, adjacency = inputs
        output = tf.matmul(adjacency, tf.matmul(features, self.kernel))
        if self.bias:  # <- cause
            output += self.bias
        return self.activation(output)


class Network(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.first = GraphConvolution(16, activation="relu", kernel_regularizer="l2")
        self.dropout = tf.keras.layers.Dropout(0.5)
        self.second = GraphConvolution(TOPICS)

    def call(self, inputs, training=False):
        features, adjacency = inputs
        hidden = self.dropout(self.first([features, adjacency]), training=training)
        return self.second([hidden, adjacency])


def citations():
    rng = np.random.default_rng(66)
    topic = rng.integers(0, TOPICS, PAPERS)
    words = (rng.random((PAPERS, WORDS)) < 0.1).astype("float32")
    words[np.arange(PAPERS), topic] = 1.0
    cites = (rng.random((PAPERS, PAPERS)) < 0.02 + 0.1 * (topic[:, None] == topic[None])).astype("float32")
    cites = np.maximum(cites, cites.T) + np.eye(PAPERS, dtype="float32")
    return words, cites / cites.sum(axis=1, keepdims=True), topic


def main():
    words, adjacency, topic = citations()
    network, optimizer = Network(), tf.keras.optimizers.Adam(0.01)
    compute = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    for epoch in range(3):
        with tf.GradientTape() as tape:
            scores = network([words, adjacency], training=True)
            loss = compute(topic, scores) + tf.add_n(network.losses)
        gradients = tape.gradient(loss, network.trainable_variables)
        optimizer.apply_gradients(zip(gradients, network.trainable_variables))
        print("epoch", epoch, float(loss))


if __name__ == "__main__":
    main()
