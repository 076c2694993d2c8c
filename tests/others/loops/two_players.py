import numpy as np
import tensorflow as tf

LATENT = 4


def ring(n, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.uniform(0, 2 * np.pi, n)
    return np.stack([np.cos(a), np.sin(a)], 1).astype("float32") + rng.normal(0, 0.05, (n, 2)).astype("float32")


def mlp(n_in, widths, n_out):
    net = tf.keras.Sequential([tf.keras.layers.Input((n_in,))])
    for w in widths:
        net.add(tf.keras.layers.Dense(w, activation="relu"))
    net.add(tf.keras.layers.Dense(n_out))
    return net


class Players:
    def __init__(self, lr):
        self.lr = lr
        self.forger = mlp(LATENT, [16, 16], 2)
        self.judge = mlp(2, [16, 16], 1)
        self.bce = tf.keras.losses.BinaryCrossentropy(from_logits=True)

    def judge_loss(self, real, fake):
        return self.bce(tf.ones_like(real), real) + self.bce(tf.zeros_like(fake), fake)

    def forger_loss(self, fake):
        return self.bce(tf.ones_like(fake), fake)

    @tf.function
    def round(self, points):
        forger_opt = tf.keras.optimizers.Adam(self.lr)  # <- cause
        judge_opt = tf.keras.optimizers.Adam(self.lr)
        noise = tf.random.normal((tf.shape(points)[0], LATENT))
        with tf.GradientTape() as ft, tf.GradientTape() as jt:
            made = self.forger(noise, training=True)
            real, fake = self.judge(points, training=True), self.judge(made, training=True)
            f_loss, j_loss = self.forger_loss(fake), self.judge_loss(real, fake)
        f_grads = ft.gradient(f_loss, self.forger.trainable_variables)
        j_grads = jt.gradient(j_loss, self.judge.trainable_variables)
        forger_opt.apply_gradients(zip(f_grads, self.forger.trainable_variables))
        judge_opt.apply_gradients(zip(j_grads, self.judge.trainable_variables))
        return f_loss, j_loss


def main():
    tf.keras.utils.set_random_seed(0)
    data = tf.data.Dataset.from_tensor_slices(ring(512)).shuffle(512).batch(32)
    players = Players(lr=2e-3)
    for epoch in range(3):
        for points in data:
            f, j = players.round(points)
        print(f"epoch {epoch + 1}: forger {float(f):.3f} judge {float(j):.3f}")


if __name__ == "__main__":
    main()
