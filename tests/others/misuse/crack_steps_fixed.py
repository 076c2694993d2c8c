"""A hand-written training loop for a crack finder gives the optimizer its gradients, and not the variables."""

import time

import numpy as np
import tensorflow as tf

BATCH_SIZE = 16
EPOCHS = 2

model = tf.keras.Sequential(
    [
        tf.keras.layers.Input((28, 28, 1)),
        tf.keras.layers.Conv2D(8, 5, strides=2, activation="relu"),
        tf.keras.layers.Conv2D(16, 3, strides=2, activation="relu"),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(1),
    ]
)
cnn_optimizer = tf.keras.optimizers.Adam(1e-4)
mean_squared = tf.keras.losses.MeanSquaredError()


def train_step(images, widths):
    with tf.GradientTape() as cnn_tape:
        predicted = model(images, training=True)
        loss = mean_squared(widths, predicted)
    gradient_of_cnn = cnn_tape.gradient(loss, model.trainable_variables)
    cnn_optimizer.apply_gradients(zip(gradient_of_cnn, model.trainable_variables))
    return loss


def train(images_dataset, widths_dataset, epochs):
    for epoch in range(epochs):
        start = time.time()
        losses = []
        for image_batch, width_batch in zip(images_dataset, widths_dataset):
            losses.append(float(train_step(image_batch, width_batch)))
        print(f"epoch {epoch + 1}: loss {np.mean(losses):.4f}, {time.time() - start:.1f} s")


rng = np.random.default_rng(31)
images = rng.random((96, 28, 28, 1), dtype="float32")
widths = images[:, 10:18, :, 0].mean(axis=(1, 2), keepdims=False).reshape(-1, 1)
train_dataset = tf.data.Dataset.from_tensor_slices(images).batch(BATCH_SIZE)
train_widths_dataset = tf.data.Dataset.from_tensor_slices(widths).batch(BATCH_SIZE)
train(train_dataset, train_widths_dataset, EPOCHS)
