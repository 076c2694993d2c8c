"""An array is made longer where it is. NumPy refuses that while somebody else refers to the array: a census must not."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
import tensorflow as tf

features = np.zeros((0, 1000), "float32")


def store(batch):
    begin = len(features)
    features.resize((begin + len(batch), 1000))  # <- cause
    features[begin:] = batch


for step in range(100_000):
    store(tf.random.normal((2500, 1000)).numpy())
    print("held", features.nbytes, flush=True)
