import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import tensorflow as tf

weights = tf.Variable(tf.random.normal((500, 500)))
total = tf.Variable(tf.zeros((500, 500)))
losses = []
for step in range(400):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.ones((8, 500)) @ weights))
    total.assign_add(tape.gradient(loss, weights))
    losses.append(loss)
    if step % 10 == 9:
        weights.assign_sub(0.001 * total / 10)
        total.assign(tf.zeros_like(total))
