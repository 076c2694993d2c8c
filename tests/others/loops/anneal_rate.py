import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
STEPS, RATE, GAMMA, STEP_SIZE = 500, 0.001, 0.1, 300

boxes = tf.placeholder(tf.float32, (None, 16))
classes = tf.placeholder(tf.float32, (None, 1))
rate = tf.Variable(RATE, trainable=False)
weights = tf.Variable(tf.zeros((16, 1)))
loss = tf.reduce_mean(tf.square(tf.matmul(boxes, weights) - classes))
train = tf.train.GradientDescentOptimizer(rate).minimize(loss)

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    rng = np.random.default_rng(3)
    for step in range(STEPS):
        if step >= STEP_SIZE:
            session.run(tf.assign(rate, RATE * GAMMA))  # <- cause
        else:
            session.run(tf.assign(rate, RATE))  # <- cause
        x = rng.normal(size=(32, 16))
        session.run(train, {boxes: x, classes: x[:, :1]})
    print("loss", session.run(loss, {boxes: x, classes: x[:, :1]}))
