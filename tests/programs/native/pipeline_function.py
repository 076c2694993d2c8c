"""A C function that a pipeline's own Python function calls with a bad pointer, in the middle of `fit`."""

import ctypes

import keras
import numpy as np
import tensorflow as tf

libc = ctypes.CDLL(None)
libc.strlen.restype = ctypes.c_size_t
libc.strlen.argtypes = [ctypes.c_void_p]
names = ctypes.create_string_buffer(b"lynx")


def measure(row):
    address = ctypes.addressof(names) if row < 6 else 8
    return np.float32(libc.strlen(address))  # <- cause


def load(row):
    length = tf.numpy_function(measure, [row], tf.float32)
    length.set_shape([])
    return tf.reshape(length, [1]), tf.zeros([1])


rows = tf.data.Dataset.range(16).map(load).batch(2)
model = keras.Sequential([keras.layers.Dense(1)])
model.compile(optimizer="sgd", loss="mse")
model.fit(rows, epochs=1, verbose=0)
