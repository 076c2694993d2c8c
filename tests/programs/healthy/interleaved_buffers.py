"""Each of the data sets that `interleave` opens has a shuffle buffer: they fill for most of the run, and fit."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import tensorflow as tf


def part(number):
    rows = tf.data.Dataset.range(1500).map(lambda row: tf.fill((1024,), tf.cast(row, tf.float32) / 1500))
    return rows.shuffle(1500).map(lambda x: (x, x[0]), num_parallel_calls=4)


data = tf.data.Dataset.range(100).interleave(part, cycle_length=48, block_length=1).batch(64)
model = keras.Sequential([keras.Input((1024,)), keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(data.take(30), epochs=1, verbose=0)
print("trained")
