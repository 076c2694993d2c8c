import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import tensorflow as tf


class Noisy(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.debug = []

    def call(self, inputs):
        outputs = inputs + tf.random.normal(tf.shape(inputs))
        self.debug.append(outputs)  # <- cause
        return outputs


layer = Noisy()
for step in range(100_000):
    layer(tf.ones((1000, 1000)))
    print("held", len(layer.debug) * 1000 * 1000 * 4, flush=True)
