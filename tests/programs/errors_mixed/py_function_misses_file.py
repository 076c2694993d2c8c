"""A py_function opens files; some are not there."""

import os
import tempfile

import numpy as np
import tensorflow as tf

names = [f"part-{n}.npy" for n in range(6)]


def load(folder, name):
    path = os.path.join(folder.numpy().decode(), name.numpy().decode())
    return np.load(path)  # <- cause


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name in names[:4]:
            np.save(os.path.join(folder, name), np.ones(3, "float32"))
        files = tf.data.Dataset.from_tensor_slices(names)
        for values in files.map(lambda name: tf.py_function(load, [folder, name], tf.float32)):
            print(values.shape)


main()
