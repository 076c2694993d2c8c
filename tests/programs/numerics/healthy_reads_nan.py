"""Reads NaN on purpose: missing readings are NaN, are printed as such, and are left out of the mean."""

import numpy as np
import tensorflow as tf

readings = tf.constant([1.0, np.nan, 3.0])
print("as they came", readings, readings[1].numpy())


def mean_of_known(values):
    known = tf.boolean_mask(values, tf.math.is_finite(values))
    return tf.reduce_mean(known)


def ratio(one, other):
    value = (one / other).numpy()
    return 0.0 if np.isnan(value) else value


print("mean", float(mean_of_known(readings)))
print("ratio", ratio(tf.constant(0.0), tf.constant(0.0)))
print("missing", tf.where(tf.math.is_nan(readings), 0.0, readings).numpy())
