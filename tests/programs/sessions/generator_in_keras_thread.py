"""A generator that Keras draws from in a worker thread makes its tensors in the default graph of that thread."""

import numpy as np
import tensorflow.compat.v1 as tf
import tf_keras as keras

tf.disable_v2_behavior()
session = tf.Session()
depth = np.linspace(0.0, 1.0, 64).reshape(-1, 1).astype("float32")


def soundings():
    data = tf.data.Dataset.from_tensor_slices((depth, 2 * depth)).repeat().batch(8)
    rows = tf.data.make_one_shot_iterator(data)
    while True:
        pair = rows.get_next()  # <- cause
        yield session.run(pair)


model = keras.Sequential([keras.layers.Dense(1, input_shape=(1,))])
model.compile("sgd", "mse")
model.fit(soundings(), steps_per_epoch=8, epochs=2, verbose=0)
