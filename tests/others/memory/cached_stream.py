import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import tensorflow as tf

SIDE = 192


def pictures():
    rng = np.random.default_rng(12)
    for number in range(6000):
        yield rng.random((SIDE, SIDE, 3), dtype="float32"), number % 10


spec = (tf.TensorSpec((SIDE, SIDE, 3), tf.float32), tf.TensorSpec((), tf.int64))
data = tf.data.Dataset.from_generator(pictures, output_signature=spec)
data = data.cache().batch(16).prefetch(2)  # <- cause
model = keras.Sequential([keras.Input((SIDE, SIDE, 3)), keras.layers.GlobalAveragePooling2D(), keras.layers.Dense(10)])
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(data, epochs=1, steps_per_epoch=200, verbose=2)
