"""The variables of a metric are local ones, which the initialiser of the global ones does not cover."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
rows = tf.placeholder(tf.float32, [None, 3])
classes = tf.placeholder(tf.int64, [None])
weights = tf.get_variable("weights", [3, 2])
accuracy, update = tf.metrics.accuracy(classes, tf.argmax(rows @ weights, 1), name="test_accuracy")
with tf.Session() as session:
    session.run(tf.global_variables_initializer())  # <- cause
    print(session.run(update, {rows: np.ones((2, 3)), classes: [0, 1]}))
