import tensorflow as tf


class RideNet(tf.keras.Model):
    def __init__(self, hidden, **kwargs):
        super().__init__(**kwargs)
        self.first = tf.keras.layers.Dense(hidden, activation="relu")
        self.second = tf.keras.layers.Dense(hidden, activation="relu")
        self.out = tf.keras.layers.Dense(1)

    def call(self, x):
        return self.out(self.second(self.first(x)))
