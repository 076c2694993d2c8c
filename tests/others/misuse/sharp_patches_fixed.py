"""Trains a network that sharpens patches of pictures."""

import numpy as np
import tensorflow as tf

CONFIG = {"batch": 4, "epochs": 1, "side": 6, "log_every": 2}


def patches(count, side):
    rng = np.random.default_rng(19)
    high = rng.uniform(size=(count, 2 * side, 2 * side, 3)).astype("float32")
    low = high[:, ::2, ::2]
    data = tf.data.Dataset.from_tensor_slices((low, high))
    return data.shuffle(count, seed=1).batch(CONFIG["batch"])


def network():
    return tf.keras.Sequential(
        [
            tf.keras.Input((None, None, 3)),
            tf.keras.layers.UpSampling2D(),
            tf.keras.layers.Conv2D(3, 3, padding="same"),
        ]
    )


def train(train_set):
    model = network()
    optimizer = tf.keras.optimizers.Adam(1e-3)
    for epoch in range(CONFIG["epochs"]):
        for step, (low, high) in enumerate(train_set):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(high - model(low, training=True)))
            gradients = tape.gradient(loss, model.trainable_weights)
            optimizer.apply_gradients(zip(gradients, model.trainable_weights))
            if step % CONFIG["log_every"] == 0:
                print(epoch, step, float(loss) >= 0)


train(patches(16, CONFIG["side"]))
