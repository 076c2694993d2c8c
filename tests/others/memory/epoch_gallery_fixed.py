import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf
from tensorflow.keras import Sequential, layers

SIDE, NOISE, BATCH = 96, 16, 8


def faces(seed=0):
    draw = np.random.default_rng(seed)
    while True:
        yield draw.random((BATCH, SIDE, SIDE, 3), dtype="float32")


class ImageGenerator:
    def __init__(self):
        self.generator = Sequential([layers.Dense(SIDE * SIDE * 3), layers.Reshape((SIDE, SIDE, 3))])
        self.discriminator = Sequential([layers.Conv2D(4, 8, strides=8), layers.Flatten(), layers.Dense(1)])
        self.optimizers = [tf.keras.optimizers.Adam(1e-4), tf.keras.optimizers.Adam(1e-4)]
        self.fixed = tf.random.normal((160, NOISE))
        self.history = {"loss": [], "image": None}

    def batch(self, real):
        entropy = tf.keras.losses.BinaryCrossentropy(from_logits=True)
        with tf.GradientTape(persistent=True) as tape:
            fake = self.generator(tf.random.normal((len(real), NOISE)))
            verdicts = self.discriminator(real), self.discriminator(fake)
            fooled = entropy(tf.ones_like(verdicts[1]), verdicts[1])
            caught = entropy(tf.ones_like(verdicts[0]), verdicts[0]) + entropy(tf.zeros_like(verdicts[1]), verdicts[1])
        networks = [(self.generator, fooled), (self.discriminator, caught)]
        for optimizer, (network, loss) in zip(self.optimizers, networks, strict=True):
            gradients = tape.gradient(loss, network.trainable_variables)
            optimizer.apply_gradients(zip(gradients, network.trainable_variables, strict=True))
        return float(fooled)

    def train(self, data, epochs):
        for epoch in range(epochs):
            self.history["loss"].append(self.batch(next(data)))
            self.history["image"] = self.generator(self.fixed)
            if epoch % 10 == 0:
                print("epoch", epoch, "loss", self.history["loss"][-1], flush=True)

    def save(self, path):
        np.save(path, self.history["image"].numpy())


studio = ImageGenerator()
studio.train(faces(), epochs=80)
studio.save(os.devnull)
