import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf

NUM_FEATURES = 13


class Recordings:
    """Spoken digits with their lengths; called, it gives batches that are padded to the longest."""

    def __init__(self, count, batch_size=8, seed=27):
        draw = np.random.default_rng(seed)
        self.lengths = draw.integers(10, 30, count)
        self.sounds = [draw.normal(size=(length, NUM_FEATURES)).astype("float32") for length in self.lengths]
        self.digits = draw.integers(0, 10, count)
        self.batch_size = batch_size

    def __call__(self):
        for start in range(0, len(self.sounds), self.batch_size):
            part = slice(start, start + self.batch_size)
            longest = self.lengths[part].max()
            sounds = np.stack([np.pad(s, ((0, longest - len(s)), (0, 0))) for s in self.sounds[part]])
            yield sounds, self.digits[part]


def dataset(recordings):
    shapes = (tf.TensorShape([None, None, NUM_FEATURES]), tf.TensorShape([None]))
    return tf.data.Dataset.from_generator(recordings, (tf.float32, tf.int64), shapes)


def main():
    model = tf.keras.Sequential([tf.keras.Input((None, NUM_FEATURES)), tf.keras.layers.GRU(16)])
    model.add(tf.keras.layers.Dense(10))
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(dataset(Recordings(64)), epochs=1, verbose=2)


main()
