"""A memory of all states that an agent saw, joined to one tensor each time, by way of a variable in between."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import tensorflow as tf


class Memory:
    def __init__(self, width):
        self.states = tf.zeros((0, width))

    def remember(self, state):
        joined = tf.concat([self.states, state], axis=0)  # <- cause
        self.states = joined

    def sample(self, count):
        rows = tf.random.uniform((count,), maxval=tf.shape(self.states)[0], dtype=tf.int32)
        return tf.gather(self.states, rows)


@tf.function(reduce_retracing=True)
def learn(batch):
    return tf.reduce_mean(tf.square(batch))


memory = Memory(1024)
for episode in range(100_000):
    memory.remember(tf.random.normal((3000, 1024)))
    learn(memory.sample(64))
    print("held", memory.states.shape[0] * 4096, flush=True)
