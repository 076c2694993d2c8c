import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import time

import tensorflow as tf

history = []
weights = tf.Variable(tf.random.normal((400, 400)))
for step in range(400):
    activations = tf.tanh(tf.ones((600, 400)) @ weights)
    history.append(activations)  # <- cause
    time.sleep(0.01)
