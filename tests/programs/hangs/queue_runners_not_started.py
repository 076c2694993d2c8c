"""Old style: reads names from a queue of the graph, whose runners were never started."""

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
names = tf.train.string_input_producer(["monday.csv", "tuesday.csv"])
key, row = tf.TextLineReader().read(names)
with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    for _ in range(3):
        print(session.run(row))  # <- cause
