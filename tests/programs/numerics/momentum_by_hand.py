"""An update by hand with momentum: the rate in the settings is too large, and the loss overflows in a product."""

import numpy as np
import tensorflow as tf

SETTINGS = {"rate": 3.0, "momentum": 0.9, "rounds": 300}  # <- cause

draw = np.random.default_rng(12)
points = draw.normal(size=[128, 6]).astype("float32")
values = points @ draw.normal(size=[6, 1]).astype("float32")

kernel = tf.Variable(tf.zeros([6, 1]), name="kernel")
velocity = tf.Variable(tf.zeros([6, 1]), name="velocity")

for number in range(SETTINGS["rounds"]):
    with tf.GradientTape() as tape:
        error = tf.matmul(points, kernel) - values
        loss = tf.reduce_mean(error * error)
    slope = tape.gradient(loss, kernel)
    velocity.assign(SETTINGS["momentum"] * velocity + slope)
    kernel.assign_sub(SETTINGS["rate"] * velocity)  # <- cause
    if number % 50 == 0:
        print(number, float(loss))
print("kernel", kernel.numpy().ravel())
