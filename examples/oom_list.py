"""Dies: it keeps a tensor of every step in a list, until the memory is gone.

Run it with a limit, so that only this program suffers:

    whydied run --memory-limit 1G examples/oom_list.py
"""

import tensorflow as tf

ROWS, FEATURES, UNITS = 2048, 256, 512

weights = tf.Variable(tf.random.normal([FEATURES, UNITS]))
history = []


def train_step(batch):
    hidden = tf.nn.relu(batch @ weights)
    history.append(hidden)
    return tf.reduce_mean(hidden)


step = 0
while True:
    loss = train_step(tf.random.normal([ROWS, FEATURES]))
    step += 1
    if step % 50 == 0:
        print(f"step {step}: loss {float(loss):.3f}", flush=True)
