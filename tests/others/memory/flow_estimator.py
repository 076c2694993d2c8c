import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import tensorflow as tf


class Flow:
    """An endless stream of augmented pictures with labels."""

    def __init__(self, size=64, seed=4):
        self.size = size
        self.draw = np.random.default_rng(seed)

    def reset_state(self):
        self.draw = np.random.default_rng(4)

    def get_data(self):
        while True:
            picture = self.draw.random((self.size, self.size, 3), dtype="float32")
            yield picture, np.int64(picture.mean() > 0.5)


def generated(flow):
    flow.reset_state()
    return tuple(flow.get_data())  # <- cause


def input_fn(flow, batch):
    spec = (tf.TensorSpec((flow.size, flow.size, 3), tf.float32), tf.TensorSpec((), tf.int64))
    data = tf.data.Dataset.from_generator(lambda: generated(flow), output_signature=spec)
    return data.batch(batch).prefetch(1)


def model(flow):
    return keras.Sequential(
        [
            keras.Input((flow.size, flow.size, 3)),
            keras.layers.AveragePooling2D(8),
            keras.layers.Flatten(),
            keras.layers.Dense(1, activation="sigmoid"),
        ]
    )


def main():
    flow = Flow()
    network = model(flow)
    network.compile("adam", "binary_crossentropy")
    network.fit(input_fn(flow, 16), steps_per_epoch=10, epochs=1, verbose=2)


main()
