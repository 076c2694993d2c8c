"""Melodies: how long each note sounds, worked out note by note with a helper."""

import numpy as np
import tensorflow as tf

tempo = tf.Variable(96.0)


def sounding(note):
    beats = tf.reduce_sum(note[1:])
    return 60.0 * beats / tempo


@tf.function
def seconds(melody):
    lengths = []
    for note in melody:  # <- cause
        lengths.append(sounding(note))
    return tf.reduce_sum(tf.stack(lengths))


melodies = np.random.default_rng(12).random((3, 8, 4)).astype("float32")
for melody in tf.unstack(tf.constant(melodies)):
    print(round(float(seconds(melody)), 2), "s")
