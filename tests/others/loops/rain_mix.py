import numpy as np
import tensorflow as tf

np.random.seed(8)

rain = np.random.rand(64, 3).astype("float32")
flow = (rain @ np.array([[1.5], [0.5], [-0.7]], dtype="float32")) + 0.2


@tf.function
def river(x):
    weight = tf.Variable(tf.random.normal([3, 1], stddev=0.1))  # <- cause
    offset = tf.Variable(tf.zeros([1]))  # <- cause
    return tf.matmul(x, weight) + offset


def distance(seen, guessed):
    return tf.reduce_mean(tf.square(seen - guessed))


guess = river(rain)
print("first guess", guess.shape)
print("distance", float(distance(flow, guess)))

for day in range(3):
    guess = river(rain)
    print("day", day, "distance", float(distance(flow, guess)))
