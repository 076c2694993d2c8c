import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf

RATE = 44_100


class AudioAdapter:
    def load(self, path, seconds=60):
        draw = np.random.default_rng(len(path))
        return draw.normal(size=(RATE * seconds, 2))


class Separator:
    def __init__(self, adapter):
        self.adapter = adapter

    def mean_level(self, path):
        waveform = self.adapter.load(path)

        def window(start):
            first = int(start)
            return waveform[first : first + RATE].astype("float32")

        total = tf.zeros(())
        for second in range(3):
            piece = tf.py_function(func=window, inp=[tf.constant(second * RATE)], Tout=tf.float32)  # <- cause
            total += tf.reduce_mean(tf.abs(piece))
        return float(total / 3)


if __name__ == "__main__":
    separator = Separator(AudioAdapter())
    for number in range(40):
        print("file", number, separator.mean_level(f"song-{number:04}.wav"), flush=True)
