"""The dense layer of a course, written for an older Keras: add_weight gets the name of the weight first."""

import numpy as np
import tensorflow as tf


class OurDenseLayer(tf.keras.layers.Layer):
    def __init__(self, n_output_nodes):
        super(OurDenseLayer, self).__init__()
        self.n_output_nodes = n_output_nodes

    def build(self, input_shape):
        d = int(input_shape[-1])
        self.W = self.add_weight("weight", shape=[d, self.n_output_nodes])  # <- cause
        self.b = self.add_weight("bias", shape=[1, self.n_output_nodes])  # <- cause

    def call(self, x):
        z = tf.matmul(x, self.W) + self.b
        return tf.sigmoid(z)


class SubclassModel(tf.keras.Model):
    def __init__(self, n_output_nodes):
        super(SubclassModel, self).__init__()
        self.hidden = OurDenseLayer(8)
        self.dense_layer = OurDenseLayer(n_output_nodes)

    def call(self, inputs, isidentity=False):
        if isidentity:
            return inputs
        return self.dense_layer(self.hidden(inputs))


def gate_data(rows):
    rng = np.random.default_rng(10)
    points = rng.uniform(-1, 1, size=(rows, 2)).astype("float32")
    inside = ((points**2).sum(axis=1, keepdims=True) < 0.5).astype("float32")
    return points, inside


def main():
    tf.keras.utils.set_random_seed(1)
    points, inside = gate_data(256)
    model = SubclassModel(n_output_nodes=1)
    optimizer = tf.keras.optimizers.SGD(0.5)
    losses = []
    for step in range(30):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(points) - inside) ** 2)
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
        losses.append(float(loss))
    print(f"first {losses[0]:.4f} last {losses[-1]:.4f}")


main()
