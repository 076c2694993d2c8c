"""A pipeline over a generator that waits for rows which nobody brings any more."""

import queue

import tensorflow as tf

rows = queue.Queue()
for number in range(8):
    rows.put([float(number)] * 3)


def read():
    for _ in range(12):
        yield rows.get()  # <- cause


data = tf.data.Dataset.from_generator(read, output_signature=tf.TensorSpec([3])).batch(4)
for batch in data:
    print(float(tf.reduce_sum(batch)), flush=True)
