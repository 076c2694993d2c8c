import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf


class ValueLearner(tf.keras.Model):
    """Features and action values, trained together."""

    def __init__(self, feature_net, value_net, **kwargs):
        super().__init__(**kwargs)
        self.feature_net, self.value_net = feature_net, value_net
        self.total_tracker = tf.keras.metrics.Mean(name="total_loss")

    def compile(self, optimizer):  # <- cause
        super().compile()
        self.optimizer = optimizer

    @property
    def metrics(self):
        return [self.total_tracker]

    def call(self, state):
        return self.value_net(self.feature_net(state))

    def train_step(self, data):
        state, wanted = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(wanted - self(state)))
        gradients = tape.gradient(loss, self.trainable_weights)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_weights))
        self.total_tracker.update_state(loss)
        return {"total_loss": self.total_tracker.result()}


def dense(inputs, outputs):
    return tf.keras.Sequential([tf.keras.Input((inputs,)), tf.keras.layers.Dense(outputs)])


def main():
    rng = np.random.default_rng(3)
    states = rng.normal(size=(128, 6)).astype("float32")
    learner = ValueLearner(dense(6, 12), dense(12, 3))
    learner.compile(optimizer=tf.keras.optimizers.Adam(), loss="mse")  # <- cause
    learner.fit(states, rng.normal(size=(128, 3)).astype("float32"), epochs=1, verbose=2)


main()
