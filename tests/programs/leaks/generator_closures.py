import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf


def batches(seed):
    data = np.full((5000, 1000), seed, "float32")

    def rows():
        yield data

    return tf.data.Dataset.from_generator(rows, output_signature=tf.TensorSpec((None, 1000), tf.float32))  # <- cause


total = 0.0
for epoch in range(100_000):
    for batch in batches(epoch):
        total += float(batch[0, 0])
    print("held", (epoch + 1) * 5000 * 1000 * 4, flush=True)
