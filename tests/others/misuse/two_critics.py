"""Generator and critic are trained in one step; both losses are recorded on one tape, which gives gradients only
once."""

import numpy as np
import tensorflow as tf

NOISE = 5
COLUMNS = 8


def generator():
    return tf.keras.Sequential(
        [tf.keras.layers.Input((NOISE,)), tf.keras.layers.Dense(16, activation="relu"), tf.keras.layers.Dense(COLUMNS)]
    )


def critic():
    return tf.keras.Sequential(
        [tf.keras.layers.Input((COLUMNS,)), tf.keras.layers.Dense(16, activation="relu"), tf.keras.layers.Dense(1)]
    )


class TableGan:
    def __init__(self, rate=1e-3):
        self.generator = generator()
        self.critic = critic()
        self.entropy = tf.keras.losses.BinaryCrossentropy(from_logits=True)
        self.generator_optimizer = tf.keras.optimizers.Adam(rate)
        self.critic_optimizer = tf.keras.optimizers.Adam(rate)

    @tf.function
    def train_step(self, rows):
        noise = tf.random.normal([tf.shape(rows)[0], NOISE])
        with tf.GradientTape() as tape:  # <- cause
            invented = self.generator(noise, training=True)
            real_scores = self.critic(rows, training=True)
            fake_scores = self.critic(invented, training=True)
            generator_loss = self.entropy(tf.ones_like(fake_scores), fake_scores)
            critic_loss = self.entropy(tf.ones_like(real_scores), real_scores) + self.entropy(
                tf.zeros_like(fake_scores), fake_scores
            )
        generator_grads = tape.gradient(generator_loss, self.generator.trainable_variables)
        critic_grads = tape.gradient(critic_loss, self.critic.trainable_variables)
        self.generator_optimizer.apply_gradients(zip(generator_grads, self.generator.trainable_variables))
        self.critic_optimizer.apply_gradients(zip(critic_grads, self.critic.trainable_variables))
        return generator_loss, critic_loss


def main():
    rng = np.random.default_rng(64)
    table = rng.normal(loc=2.0, size=(256, COLUMNS)).astype("float32")
    dataset = tf.data.Dataset.from_tensor_slices(table).shuffle(256, seed=0).batch(32)
    gan = TableGan()
    for epoch in range(2):
        for rows in dataset:
            g_loss, c_loss = gan.train_step(rows)
        print(f"epoch {epoch}: generator {float(g_loss):.3f} critic {float(c_loss):.3f}")


if __name__ == "__main__":
    main()
