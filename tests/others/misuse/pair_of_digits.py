"""A small network for digits with a training loop of its own."""

import time

import numpy as np
import tensorflow as tf

BATCH = 32


def make_model():
    return tf.keras.Sequential(
        [
            tf.keras.Input((8, 8, 1)),
            tf.keras.layers.Conv2D(4, 3, activation="relu"),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(10),
        ]
    )


class Trainer:
    def __init__(self, model, rate=1e-3):
        self.model = model
        self.optimizer = tf.keras.optimizers.Adam(rate)
        self.loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def step(self, images, labels):
        with tf.GradientTape() as tape:
            logits = self.model(images, training=True)
            loss = self.loss(labels, logits)
        gradients = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(gradients)  # <- cause
        return loss

    def fit(self, dataset, epochs):
        for epoch in range(epochs):
            start = time.perf_counter()
            for images, labels in dataset:
                loss = self.step(images, labels)
            print(epoch, float(loss), time.perf_counter() - start > 0)


def digits():
    rng = np.random.default_rng(5)
    images = rng.uniform(size=(128, 8, 8, 1)).astype("float32")
    labels = rng.integers(0, 10, size=128)
    return tf.data.Dataset.from_tensor_slices((images, labels)).batch(BATCH)


if __name__ == "__main__":
    Trainer(make_model()).fit(digits(), epochs=2)
