import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import tensorflow as tf

state = []
x = tf.ones((1000, 1000))
for step in range(100_000):
    weight = tf.Variable(tf.random.normal((1000, 1000)))  # <- cause
    state.append(weight)
    x = tf.tanh(x + weight)
    print("held", len(state) * 1000 * 1000 * 4, flush=True)
