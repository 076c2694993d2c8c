import tensorflow as tf
from settings import KINDS


class Detector(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.conv = tf.keras.layers.Conv1D(16, 7, activation="relu", padding="same")
        self.pool = tf.keras.layers.GlobalMaxPooling1D()
        self.hidden = tf.keras.layers.Dense(32, activation="relu")
        self.head = tf.keras.layers.Dense(KINDS)

    def call(self, x):
        return self.head(self.hidden(self.pool(self.conv(x))))
