import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import tensorflow as tf

FIELDS = ("speed_x", "speed_y", "pressure", "concentration")


class Normaliser(tf.Module):
    """Learns mean and deviation of each field while batches pass by."""

    def __init__(self, size, limit=500, epsilon=1e-8):
        super().__init__()
        self.limit, self.epsilon = limit, epsilon
        self.count = tf.Variable(0.0)
        self.batches = tf.Variable(0)
        self.total = tf.Variable(tf.zeros(size))
        self.squares = tf.Variable(tf.zeros(size))

    def __call__(self, batch):
        if self.batches < self.limit:
            self.batches.assign_add(1)
            self.count.assign_add(tf.cast(tf.shape(batch)[0], tf.float32))
            self.total.assign_add(tf.reduce_sum(batch, 0))
            self.squares.assign_add(tf.reduce_sum(batch**2, 0))
        return (batch - self.mean()) / self.deviation()

    def mean(self):
        return self.total / self.count

    def deviation(self):
        variance = self.squares / self.count - self.mean() ** 2  # <- cause
        return tf.maximum(tf.sqrt(variance), self.epsilon)  # <- cause


def simulated(nodes, seed=8):
    draw = np.random.default_rng(seed)
    speed = draw.normal(size=(nodes, 2))
    pressure = draw.normal(101.3, 0.4, size=(nodes, 1))
    concentration = np.full((nodes, 1), 0.0414) + draw.normal(0, 1e-6, size=(nodes, 1))
    fields = np.concatenate([speed, pressure, concentration], 1).astype("float32")
    return fields, (speed[:, :1] * 0.5 - pressure * 0.01).astype("float32")


class Surrogate(tf.Module):
    def __init__(self):
        super().__init__()
        self.normaliser = Normaliser(len(FIELDS))
        self.network = keras.Sequential(
            [keras.Input((len(FIELDS),)), keras.layers.Dense(32, activation="relu"), keras.layers.Dense(1)]
        )
        self.optimizer = keras.optimizers.Adam(1e-3)

    def train_step(self, fields, target):
        with tf.GradientTape() as tape:
            predicted = self.network(self.normaliser(fields))
            loss = tf.reduce_mean((predicted - target) ** 2)
        variables = self.network.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss


def main():
    keras.utils.set_random_seed(1)
    data = tf.data.Dataset.from_tensor_slices(simulated(6400)).batch(64)
    surrogate = Surrogate()
    for number, (fields, target) in enumerate(data):
        loss = surrogate.train_step(fields, target)
        if number % 20 == 0:
            print("step", number, "loss", float(loss), flush=True)


main()
