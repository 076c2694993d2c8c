"""The same errors, all of them handled: in the generator, in the pipeline, in the callback, in a thread of a pool."""

from concurrent.futures import ThreadPoolExecutor

import keras
import numpy as np
import tensorflow as tf

records = [{"reading": np.ones(4, "float32") * n, "target": float(n)} for n in range(40)]
records[22] = {"reading": np.ones(4, "float32"), "traget": 1.0}


def rows():
    for record in records:
        try:
            yield record["reading"], record["target"]
        except KeyError:
            continue


def checked(value):
    if value > 3:
        raise ValueError(f"{value} is too large")
    return value


class Report(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        try:
            print(logs["val_loss"])
        except KeyError:
            print(logs["loss"] >= 0)


def attempt(path):
    try:
        return open(path).read()
    except FileNotFoundError:
        return ""


signature = (tf.TensorSpec((4,), tf.float32), tf.TensorSpec((), tf.float32))
data = tf.data.Dataset.from_generator(rows, output_signature=signature).batch(8)
numbers = tf.data.Dataset.range(6).map(lambda n: tf.numpy_function(checked, [n], tf.int64)).ignore_errors()
print([int(n) for n in numbers])
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(data, verbose=0, callbacks=[Report()])
with ThreadPoolExecutor(2) as pool:
    print(list(pool.map(attempt, ["first.csv", "second.csv"])))
