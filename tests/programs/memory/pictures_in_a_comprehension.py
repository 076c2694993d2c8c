"""A whole data set is decoded in one comprehension: what it gathers has no name before it ends."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
import tensorflow as tf

made = 0


def load_picture(path):
    global made
    pixels = np.full((256, 256, 3), len(path), np.float32)
    picture = tf.image.resize(pixels, (448, 448)).numpy() / 255
    made += picture.nbytes
    print("held", made, flush=True)
    return picture


paths = [f"picture_{number:05}.png" for number in range(4000)]
x_train = np.array([load_picture(path) for path in paths])  # <- cause
