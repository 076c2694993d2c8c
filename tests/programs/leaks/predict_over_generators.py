import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import tensorflow as tf

model = keras.Sequential([keras.Input((500,)), keras.layers.Dense(1)])


def scores(rows):
    def batches():
        for start in range(0, len(rows), 5000):
            yield rows[start : start + 5000]

    data = tf.data.Dataset.from_generator(batches, output_signature=tf.TensorSpec((None, 500), tf.float32))  # <- cause
    return model.predict(data, verbose=0)


total = 0.0
for day in range(10_000):
    total += float(scores(np.full((10_000, 500), day, "float32")).mean())
    print("held", (day + 1) * 10_000 * 500 * 4, flush=True)
