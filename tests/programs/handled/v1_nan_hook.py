"""A monitored session whose hook ends the training at a NaN; the program reads why and reports the last good step."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
rng = np.random.default_rng(4)
rows = rng.normal(size=(200, 3)).astype("float32") * 100
targets = rows.sum(axis=1)

x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None])
step = tf.train.get_or_create_global_step()
weights = tf.get_variable("weights", [3, 1])
loss = tf.reduce_mean(tf.square(tf.squeeze(x @ weights, 1) - y))
train = tf.train.GradientDescentOptimizer(0.5).minimize(loss, global_step=step)

losses = []
hooks = [tf.train.NanTensorHook(loss, fail_on_nan_loss=False), tf.train.StopAtStepHook(last_step=200)]
with tf.train.MonitoredTrainingSession(hooks=hooks) as session:
    while not session.should_stop():
        _, value = session.run([train, loss], {x: rows, y: targets})
        losses.append(value)
good = [value for value in losses if np.isfinite(value)]
print("stopped after", len(losses) < 200, "good steps", len(good) > 0)
