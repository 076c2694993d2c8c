import os
import tempfile

import numpy as np
import tensorflow as tf

np.random.seed(40)
tf.random.set_seed(40)

SIDE, LATENT = 12, 2


def petals(count):
    yy, xx = np.mgrid[0:SIDE, 0:SIDE] / (SIDE - 1.0) - 0.5
    out = []
    for _ in range(count):
        k, turn = np.random.randint(2, 6), np.random.rand() * 3
        r, a = np.hypot(xx, yy), np.arctan2(yy, xx)
        out.append((r < 0.25 + 0.15 * np.cos(k * a + turn)).astype("float32"))
    return np.array(out)[..., None]


class CVAE(tf.keras.Model):
    def __init__(self, latent_dim):
        super().__init__()
        self.latent_dim = latent_dim
        self.inference_net = tf.keras.Sequential([
            tf.keras.layers.Input(shape=(SIDE, SIDE, 1)),
            tf.keras.layers.Conv2D(8, 3, strides=2, activation="relu"),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(2 * latent_dim),
        ])
        self.generative_net = tf.keras.Sequential([
            tf.keras.layers.Input(shape=(latent_dim,)),
            tf.keras.layers.Dense(32, activation="relu"),
            tf.keras.layers.Dense(SIDE * SIDE),
            tf.keras.layers.Reshape((SIDE, SIDE, 1)),
        ])

    def encode(self, x):
        return tf.split(self.inference_net(x), num_or_size_splits=2, axis=1)

    def reparameterize(self, mean, logvar):
        return mean + tf.random.normal(tf.shape(mean)) * tf.exp(0.5 * logvar)

    def decode(self, z):
        return self.generative_net(z)

    def call(self, x):
        mean, logvar = self.encode(x)
        return tf.sigmoid(self.decode(self.reparameterize(mean, logvar)))


def compute_loss(model, x):
    mean, logvar = model.encode(x)
    logits = model.decode(model.reparameterize(mean, logvar))
    cross = tf.nn.sigmoid_cross_entropy_with_logits(logits=logits, labels=x)
    rebuild = tf.reduce_mean(tf.reduce_sum(cross, axis=[1, 2, 3]))
    kl = -0.5 * tf.reduce_mean(tf.reduce_sum(1 + logvar - mean ** 2 - tf.exp(logvar), axis=1))
    return rebuild + kl


pictures = petals(96)
dataset = tf.data.Dataset.from_tensor_slices(pictures).shuffle(96).batch(16)

optimizer = tf.keras.optimizers.Adam(1e-3)
model = CVAE(LATENT)  # <- cause

for epoch in range(3):
    for batch in dataset:
        with tf.GradientTape() as tape:
            loss = compute_loss(model, batch)
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
    print("epoch", epoch, "loss", float(loss))

target = os.path.join(tempfile.mkdtemp(), "petals.weights.h5")
model.save_weights(target)
print("saved", os.path.getsize(target) > 0)
