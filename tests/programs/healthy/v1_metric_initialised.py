"""The twin of metric_not_initialised and thread_builds_in_its_graph: both initialisers, and the model's graph in a thread."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
rows = tf.placeholder(tf.float32, [None, 3])
classes = tf.placeholder(tf.int64, [None])
weights = tf.get_variable("weights", [3, 2])
scores = rows @ weights
accuracy, update = tf.metrics.accuracy(classes, tf.argmax(scores, 1), name="test_accuracy")
graph = tf.get_default_graph()
session = tf.Session()
session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
print(session.run(update, {rows: np.ones((2, 3)), classes: [0, 1]}))


def cooled(temperature):
    with graph.as_default():
        factor = tf.constant(1.0 / temperature)
        return session.run(scores * factor, {rows: np.ones((2, 3))})


with ThreadPoolExecutor(1) as pool:
    print(pool.submit(cooled, 2.0).result().shape)
session.close()
