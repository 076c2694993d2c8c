import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import tensorflow as tf

layers = [tf.Variable(tf.random.normal((500, 500))) for _ in range(20)]
x = tf.ones((500, 500))
for step in range(60):
    for layer in layers:
        layer.assign(tf.tanh(x @ layer))
    scratch = tf.Variable(tf.zeros((500, 500)))
    scratch.assign_add(layers[0])
