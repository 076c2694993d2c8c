"""Training on two devices with a loop of its own."""

import numpy as np
import tensorflow as tf

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)

CONFIG = {"batch": 16, "steps": 4, "features": 6}


def make_model(features):
    return tf.keras.Sequential(
        [tf.keras.Input((features,)), tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(1)]
    )


class Trainer:
    def __init__(self, strategy):
        self.strategy = strategy
        self.model = make_model(CONFIG["features"])  # <- cause
        with strategy.scope():
            self.optimizer = tf.keras.optimizers.Adam(1e-3)
            self.optimizer.build(self.model.trainable_variables)

    def train_step(self, x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.model(x, training=True) - y))
        gradients = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.model.trainable_variables, strict=True))
        return loss

    @tf.function
    def distributed_step(self, x, y):
        losses = self.strategy.run(self.train_step, (x, y))
        return self.strategy.reduce(tf.distribute.ReduceOp.MEAN, losses, axis=None)


def main():
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    rng = np.random.default_rng(8)
    x = rng.normal(size=(64, CONFIG["features"])).astype("float32")
    data = tf.data.Dataset.from_tensor_slices((x, x[:, :1])).repeat().batch(CONFIG["batch"])
    batches = iter(strategy.experimental_distribute_dataset(data))
    trainer = Trainer(strategy)
    for step in range(CONFIG["steps"]):
        print(step, float(trainer.distributed_step(*next(batches))))


main()
