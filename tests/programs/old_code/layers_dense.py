"""Uses the layers as functions of TensorFlow 1."""

import numpy as np
import tensorflow as tf

images = tf.constant(np.ones((2, 4), "float32"))
hidden = tf.layers.dense(  # <- cause
    images,
    8,
    activation=tf.nn.relu,
)
print(hidden)
