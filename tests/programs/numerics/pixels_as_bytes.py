"""Pixels go into the net as 0 to 255: a loop of one's own at a rate that is fine for images scaled to one."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, models


def load_images(count=256, side=8):
    draw = np.random.default_rng(2)
    labels = draw.integers(0, 4, count).astype("float32")
    images = draw.integers(0, 200, (count, side, side, 1)) + 10 * labels[:, None, None, None]
    return images.astype("float32"), labels  # <- cause


def make_net():
    net = models.Sequential()
    net.add(layers.Input((8, 8, 1)))
    for _ in range(3):
        net.add(layers.Conv2D(8, 3, padding="same", activation="leaky_relu"))
    net.add(layers.Flatten())
    net.add(layers.Dense(1))
    return net


tf.keras.utils.set_random_seed(2)
images, labels = load_images()
net = make_net()
loss_object = tf.keras.losses.MeanSquaredError()
optimizer = tf.keras.optimizers.SGD(learning_rate=0.001)  # <- cause
batches = tf.data.Dataset.from_tensor_slices((images, labels)).shuffle(256, seed=2).batch(32)


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_object(y[:, None], net(x, training=True))
    gradients = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients(zip(gradients, net.trainable_variables))
    return loss


for epoch in range(4):
    for x, y in batches:
        loss = train_step(x, y)
    print(f"epoch {epoch + 1}, loss {loss.numpy():.4f}")
