import os
import resource

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf


class Settings:
    def __init__(self, rate):
        self.rate = rate
        self.mask = np.random.rand(800, 800)


@tf.function
def step(x, settings):
    return x - settings.rate * tf.sin(x) * settings.mask


def train():
    x = tf.ones((800, 800), tf.float64)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(100_000):
        x = step(x, Settings(0.1))  # <- cause
        print("held", (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024, flush=True)


train()
