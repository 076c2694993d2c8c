import random

import numpy as np
import tensorflow as tf

EPOCHS = 24
BATCH = 20


def tastings(n=400, seed=6):
    rng = np.random.default_rng(seed)
    grape = rng.integers(0, 4, n)
    centers = np.random.default_rng(60).normal(0, 1.1, (4, 8))
    chem = centers[grape] + rng.normal(0, 1.1, (n, 8))
    return np.column_stack([chem, grape]).astype("float32")


class GrapeNet(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.a = tf.keras.layers.Dense(24, activation="relu")
        self.b = tf.keras.layers.Dense(4)

    def call(self, x):
        return self.b(self.a(x))


class Trainer:
    def __init__(self, table, lr=0.004):
        cut = int(len(table) * 0.75)
        self.train = table[:cut].copy()
        self.valid = table[cut:].copy()
        self.net = GrapeNet()
        self.opt = tf.keras.optimizers.Adam(lr)
        self.loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    @staticmethod
    def split(rows):
        return tf.constant(rows[:, :-1]), tf.constant(rows[:, -1].astype("int32"))

    def step(self, rows):
        x, y = self.split(rows)
        with tf.GradientTape() as tape:
            loss = self.loss(y, self.net(x, training=True))
        grads = tape.gradient(loss, self.net.trainable_variables)
        self.opt.apply_gradients(zip(grads, self.net.trainable_variables))
        return float(loss)

    def run_epoch(self):
        np.random.shuffle(self.train)
        return np.mean([self.step(self.train[i : i + BATCH]) for i in range(0, len(self.train), BATCH)])

    def valid_accuracy(self):
        x, y = self.split(self.valid)
        return float(np.mean(np.argmax(self.net(x).numpy(), 1) == y.numpy()))


def main():
    random.seed(1)
    tf.keras.utils.set_random_seed(1)
    trainer = Trainer(tastings())
    for epoch in range(EPOCHS):
        loss = trainer.run_epoch()
        if epoch % 5 == 0:
            print(f"epoch {epoch}: loss {loss:.4f} valid accuracy {trainer.valid_accuracy():.3f}")
    print(f"final valid accuracy {trainer.valid_accuracy():.3f}")


if __name__ == "__main__":
    main()
