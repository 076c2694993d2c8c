"""`tf.where` around a division, in a monitored session over a tf.data pipeline: the branch not taken poisons."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.set_random_seed(4)
rng = np.random.default_rng(4)
amounts = rng.random((384, 3)).astype("float32") + 0.5
amounts[130] = 0.0
targets = np.ones((384, 1), "float32")

batches = tf.data.Dataset.from_tensor_slices((amounts, targets)).batch(32)
amount, target = tf.data.make_one_shot_iterator(batches).get_next()
scale = tf.get_variable("scale", [3, 1], initializer=tf.ones_initializer())
total = tf.matmul(amount, scale)
share = tf.where(total > 0, 1 / total, tf.zeros_like(total))  # <- cause
loss = tf.reduce_mean(tf.square(share - target))
step = tf.train.get_or_create_global_step()
train = tf.train.AdagradOptimizer(0.05).minimize(loss, global_step=step)

with tf.train.MonitoredTrainingSession() as session:
    while not session.should_stop():
        at, _ = session.run([step, train])
print("steps", at)
