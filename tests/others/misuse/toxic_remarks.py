"""Scores remarks by how toxic they are, with a loop of its own."""

import numpy as np
import tensorflow as tf

LABELS = 6

loss_object = tf.keras.losses.BinaryCrossentropy()
train_loss = tf.keras.metrics.Mean(name="train_loss")
aucs = [tf.keras.metrics.AUC() for _ in range(LABELS)]


def setup(rate):
    model = tf.keras.Sequential(
        [
            tf.keras.Input((24,), dtype="int32"),
            tf.keras.layers.Embedding(100, 8),
            tf.keras.layers.GlobalAveragePooling1D(),
            tf.keras.layers.Dense(LABELS, activation="sigmoid"),
        ]
    )
    optimizer = (tf.keras.optimizers.Adam(learning_rate=rate, beta_1=0.9, beta_2=0.98),)  # <- cause
    return model, optimizer


def train_step(model, optimizer, tokens, labels):
    labels = tf.cast(labels, tf.float32)
    with tf.GradientTape() as tape:
        predictions = model(tokens, training=True)
        loss = loss_object(labels, predictions)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    train_loss(loss)
    for at, auc in enumerate(aucs):
        auc.update_state(labels[:, at], predictions[:, at])


def main():
    rng = np.random.default_rng(13)
    tokens = rng.integers(0, 100, size=(48, 24))
    labels = rng.integers(0, 2, size=(48, LABELS))
    model, optimizer = setup(1e-3)
    for part in range(0, 48, 16):
        train_step(model, optimizer, tokens[part : part + 16], labels[part : part + 16])
    print(float(train_loss.result()) > 0)


main()
