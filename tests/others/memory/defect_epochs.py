"""Defects on sheet metal: the loop over an epoch is one tf.function that is given the step of the model to run."""

import numpy as np
import tensorflow as tf

SIDE = 16
KNOWN = 8_000


def backbone(depth=5):
    inputs = tf.keras.Input((SIDE, SIDE, 1))
    x = tf.keras.layers.Conv2D(8, 3, padding="same")(inputs)
    for _ in range(depth):
        y = tf.keras.layers.Conv2D(8, 3, padding="same", activation="relu")(x)
        x = tf.keras.layers.Add()([x, y])
    x = tf.keras.layers.GlobalAveragePooling2D()(x)
    return tf.keras.Model(inputs, tf.keras.layers.Dense(128)(x))


class Trainer:
    def __init__(self):
        self.model = backbone()
        self.optimizer = tf.keras.optimizers.Adam(1e-3)
        self.optimizer.build(self.model.trainable_variables)
        self.loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        rng = np.random.default_rng(7)
        self.known = rng.normal(size=(128, KNOWN)).astype(np.float32)  # vectors of defects seen before
        self.seen = tf.keras.metrics.Mean()

    def step(self, sheets, defects):
        with tf.GradientTape() as tape:
            nearness = tf.matmul(self.model(sheets, training=True), self.known)
            loss = self.loss(defects, nearness)
        gradients = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.model.trainable_variables))
        self.seen.update_state(loss)


@tf.function
def run_epoch(data, step):
    for sheets, defects in data:
        step(sheets, defects)


def sheet_metal(count=32):
    rng = np.random.default_rng(19)
    sheets = rng.random((count, SIDE, SIDE, 1)).astype(np.float32)
    return tf.data.Dataset.from_tensor_slices((sheets, rng.integers(0, KNOWN, count))).batch(16)


def main(epochs=60):
    data, trainer = sheet_metal(), Trainer()
    for epoch in range(epochs):
        trainer.seen.reset_state()
        run_epoch(data, trainer.step)  # <- cause
        if epoch % 5 == 0:
            print("epoch", epoch, "loss", float(trainer.seen.result()), flush=True)


if __name__ == "__main__":
    main()
