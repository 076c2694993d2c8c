"""Highest and lowest water of each harbour, kept between two runs of the logger."""

import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
HARBOURS = 5

highest = tf.get_variable("highest", initializer=tf.fill([HARBOURS], -9.0))
lowest = tf.get_variable("lowest", initializer=tf.fill([HARBOURS], 9.0))
readings = tf.Variable(tf.zeros([], tf.int64), trainable=False, name="readings")

level = tf.placeholder(tf.float32, [HARBOURS])
note = tf.group(
    highest.assign(tf.maximum(highest, level)),
    lowest.assign(tf.minimum(lowest, level)),
)
keeper = tf.train.Saver(max_to_keep=2)

rng = np.random.default_rng(4)
log = tempfile.mkdtemp()

session = tf.Session()
session.run(tf.global_variables_initializer())
for hour in range(24):
    water = np.sin(hour / 2.0 + np.arange(HARBOURS)) + rng.normal(0, 0.1, HARBOURS)
    session.run(note, {level: water})
    if hour % 12 == 11:
        keeper.save(session, f"{log}/marks", global_step=hour)
span = session.run(highest - lowest)
print("largest span", round(float(span.max()), 2))
session.close()
