"""A v1 session with steps of about 2 ms; the steady state is all but the first steps."""

import time

import numpy as np
import tensorflow as tf

WARM_UP, STEPS = 50, 1500

v1 = tf.compat.v1
v1.disable_eager_execution()
rng = np.random.default_rng(0)
rows, targets = rng.random([4096, 256], "float32"), rng.random([4096, 8], "float32")
x, y = v1.placeholder(tf.float32, [None, 256]), v1.placeholder(tf.float32, [None, 8])
first = v1.get_variable("first", [256, 512])
second = v1.get_variable("second", [512, 8])
loss = tf.reduce_mean((tf.nn.relu(x @ first) @ second - y) ** 2)
train = v1.train.AdamOptimizer(0.001).minimize(loss)
with v1.Session() as session:
    session.run(v1.global_variables_initializer())
    for step in range(WARM_UP + STEPS):
        if step == WARM_UP:
            wall, cpu = time.perf_counter(), time.process_time()
        chosen = slice(step * 256 % 4096, step * 256 % 4096 + 256)
        session.run([train, loss], {x: rows[chosen], y: targets[chosen]})
print("inner", time.perf_counter() - wall, time.process_time() - cpu)
