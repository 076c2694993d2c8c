import os
import resource

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf


class Encoder(tf.Module):
    def __init__(self):
        self.vectors = np.random.rand(5000, 200).astype("float32")

    @tf.function
    def encode(self, ids):
        return tf.reduce_mean(tf.gather(self.vectors, ids), axis=0)


def run(sentences):
    encoder = Encoder()
    return [float(encoder.encode(ids)[0]) for ids in sentences]  # <- cause


def sentences():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for length in range(1, 100_000):
        print("held", (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024, flush=True)
        yield [0] * length


run(sentences())
