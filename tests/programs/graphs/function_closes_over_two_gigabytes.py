import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf


class Search:
    def __init__(self):
        self.index = np.zeros((600_000, 1000), "float32")

    @tf.function
    def near(self, query):
        return tf.argmax(tf.linalg.matvec(self.index, query))  # <- cause


search = Search()
search.near(tf.ones((1000,)))
