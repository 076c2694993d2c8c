import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf
from tensorflow import keras


class TinyWassersteinGan:
    def __init__(self, latent_dim=4, data_dim=2):
        self.latent_dim = latent_dim
        self.generator = keras.Sequential(
            [
                keras.layers.Input(shape=(latent_dim,)),
                keras.layers.Dense(16, activation="relu"),
                keras.layers.Dense(data_dim),
            ]
        )
        self.critic = keras.Sequential(
            [
                keras.layers.Input(shape=(data_dim,)),
                keras.layers.Dense(16, activation="relu"),
                keras.layers.Dense(1),
            ]
        )
        self.gen_opt = keras.optimizers.RMSprop(5e-4)
        self.critic_opt = keras.optimizers.RMSprop(5e-4)

    def noise(self, n):
        return tf.random.normal((n, self.latent_dim))

    def critic_step(self, real):
        fake = self.generator(self.noise(len(real)))
        with tf.GradientTape() as tape:
            real_score = tf.reduce_mean(self.critic(real))
            fake_score = tf.reduce_mean(self.critic(fake))
            distance = fake_score - real_score
        grads = tape.gradient(distance, self.critic.trainable_variables)
        self.critic_opt.apply_gradients(zip(grads, self.critic.trainable_variables))
        for w in self.critic.trainable_variables:
            w.assign(tf.clip_by_value(w, -0.05, 0.05))
        return -float(distance)

    def generator_step(self, n):
        with tf.GradientTape() as tape:  # <- cause
            score = tf.reduce_mean(self.critic(self.generator(self.noise(n))))  # <- cause
        grads = tape.gradient(-score, self.generator.trainable_variables)  # <- cause
        self.gen_opt.apply_gradients(zip(grads, self.generator.trainable_variables))
        return -float(score)

    def fit(self, data, epochs, batch_size=64):
        for epoch in range(epochs):
            np.random.shuffle(data)
            for start in range(0, len(data), batch_size):
                gap = self.critic_step(data[start : start + batch_size])
            gen_loss = self.generator_step(batch_size)
            print("epoch %d  gap %.4f  generator %.4f" % (epoch, gap, gen_loss))


keras.utils.set_random_seed(21)
angles = np.random.uniform(0, 2 * np.pi, size=512)
ring = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype("float32")

gan = TinyWassersteinGan()
gan.fit(ring, epochs=4)
print("sample:", gan.generator(gan.noise(2)).numpy().round(2).tolist())
