"""Rain by height and distance to the sea: a line fitted by gradient descent without an optimizer."""
import numpy as np
import tensorflow as tf

rng = np.random.default_rng(5)
places = rng.normal(size=(200, 2)).astype("float32")
rain = places @ np.array([[1.5], [-0.7]], "float32") + 0.3

slopes = tf.Variable(tf.zeros((2, 1)))
offset = tf.Variable(0.0)
RATE = 0.1


def loss_of(x, y):
    return tf.reduce_mean((x @ slopes + offset - y) ** 2)


for step in range(60):
    with tf.GradientTape() as tape:
        loss = loss_of(places, rain)
    by_slopes, by_offset = tape.gradient(loss, [slopes, offset])
    slopes.assign_sub(RATE * by_slopes)
    offset.assign_sub(RATE * by_offset)
    if step % 20 == 0:
        print(step, float(loss))
print("slopes", slopes.numpy().ravel(), "offset", float(offset))
