"""Metric learning on faces: a margin loss of our own in a loop of our own."""

import numpy as np
import tensorflow as tf


class MarginLoss:
    def __init__(self, gamma=8.0, margin=0.25):
        self.gamma = gamma
        self.o_p, self.o_n = 1.0 + margin, -margin
        self.delta_p, self.delta_n = 1.0 - margin, margin

    def __call__(self, y_true, y_pred):
        alpha_p = tf.nn.relu(self.o_p - tf.stop_gradient(y_pred))
        alpha_n = tf.nn.relu(tf.stop_gradient(y_pred) - self.o_n)
        wanted = y_true * (alpha_p * (y_pred - self.delta_p))  # <- cause
        unwanted = (1 - y_true) * (alpha_n * (y_pred - self.delta_n))  # <- cause
        return tf.nn.softmax_cross_entropy_with_logits(
            labels=y_true, logits=(wanted + unwanted) * self.gamma
        )  # <- cause


class Cosine(tf.keras.layers.Layer):
    """Cosine between features and one direction per person."""

    def __init__(self, people):
        super().__init__()
        self.people = people

    def build(self, input_shape):
        self.directions = self.add_weight(shape=(input_shape[-1], self.people), name="directions")

    def call(self, features):
        return tf.matmul(tf.nn.l2_normalize(features, 1), tf.nn.l2_normalize(self.directions, 0))


def faces(people, each):
    rng = np.random.default_rng(6)
    centres = rng.normal(size=(people, 24))
    identity = np.repeat(np.arange(people), each)
    x = centres[identity] + rng.normal(0, 0.3, (people * each, 24))
    one_hot = np.eye(people, dtype="int32")[identity]
    return tf.data.Dataset.from_tensor_slices((x.astype("float32"), one_hot)).shuffle(500).batch(25)


def main():
    people = 5
    network = tf.keras.Sequential([tf.keras.layers.Dense(16, "relu"), Cosine(people)])
    criterion = MarginLoss()
    optimizer = tf.keras.optimizers.Adam(1e-2)
    for epoch in range(2):
        total = 0.0
        for x, y in faces(people, each=40):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(criterion(y, network(x, training=True)))
            gradients = tape.gradient(loss, network.trainable_variables)
            optimizer.apply_gradients(zip(gradients, network.trainable_variables))
            total += float(loss)
        print("epoch", epoch, "loss", round(total, 3))


if __name__ == "__main__":
    main()
