"""Pictures of different sizes, one at a time, in an eager loop; one of them is huge."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import keras
import tensorflow as tf

net = keras.Sequential(
    [
        keras.layers.Conv2D(24, 3, activation="relu", padding="same"),
        keras.layers.Conv2D(24, 3, activation="relu", padding="same"),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(2),
    ]
)
adam = keras.optimizers.Adam()


def train_on(picture, label):
    with tf.GradientTape() as tape:
        logits = net(picture, training=True)  # <- cause
        loss = keras.losses.sparse_categorical_crossentropy(label, logits, from_logits=True)
    adam.apply(tape.gradient(loss, net.trainable_variables), net.trainable_variables)


sides = [64, 80, 72, 96, 64, 88, 70, 90, 64, 66, 94, 78, 2600, 64, 80]
for side in sides:
    train_on(tf.random.uniform([1, side, side, 3]), tf.constant([1]))  # <- cause
