import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import tensorflow as tf

model = keras.Sequential([keras.Input((50,)), keras.layers.Dense(1)])
today = {}


def batches():
    yield today["rows"]


data = tf.data.Dataset.from_generator(batches, output_signature=tf.TensorSpec((None, 50), tf.float32))
for day in range(20):
    today["rows"] = np.full((20_000, 50), day, "float32")
    model.predict(data, verbose=0)
