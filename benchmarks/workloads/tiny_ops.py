"""An eager loop of tiny ops: the worst case for whatever watches single ops."""

import time

import tensorflow as tf

x = tf.ones([4, 4])


def loop(turns):
    total = tf.zeros([4, 4])
    for _ in range(turns):
        y = tf.nn.relu(x - 0.5)
        total = total + tf.reduce_sum(y * x) / 16.0
    return float(total[0, 0])


loop(500)
wall, cpu = time.perf_counter(), time.process_time()
loop(20_000)
print("inner", time.perf_counter() - wall, time.process_time() - cpu)
