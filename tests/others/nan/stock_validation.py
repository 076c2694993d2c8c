import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
import tensorflow as tf

batch_size, seq_len, n_channels, epochs = 128, 16, 3, 3  # <- cause


def get_batches(x, y, batch_size):
    n_batches = len(x) // batch_size
    x, y = x[: n_batches * batch_size], y[: n_batches * batch_size]
    for at in range(0, len(x), batch_size):
        yield x[at : at + batch_size], y[at : at + batch_size]


def prices(count, seed=11):
    draw = np.random.default_rng(seed)
    walk = np.cumsum(draw.normal(size=(count + seq_len, n_channels)), axis=0) / 10
    x = np.stack([walk[at : at + seq_len] for at in range(count)]).astype("float32")
    return x, (walk[seq_len:, 0] > walk[seq_len - 1 : -1, 0]).astype("int64")


tf.random.set_seed(2)
x, y = prices(600)
x_train, x_valid, y_train, y_valid = x[:500], x[500:], y[:500], y[500:]
model = tf.keras.Sequential([tf.keras.Input((seq_len, n_channels)), tf.keras.layers.LSTM(8), tf.keras.layers.Dense(2)])
adam = tf.keras.optimizers.Adam(1e-3)
cost_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
for epoch in range(epochs):
    for x_batch, y_batch in get_batches(x_train, y_train, batch_size):
        with tf.GradientTape() as tape:
            cost = cost_of(y_batch, model(x_batch, training=True))
        slopes = tape.gradient(cost, model.trainable_variables)
        adam.apply_gradients(zip(slopes, model.trainable_variables))
    val_loss = []
    for x_batch, y_batch in get_batches(x_valid, y_valid, batch_size):
        val_loss.append(float(cost_of(y_batch, model(x_batch))))
    print(f"Epoch: {epoch + 1}/{epochs} Validation loss: {np.mean(val_loss):6f}", flush=True)
