import os
import tempfile

import numpy as np
import tensorflow as tf

from network import padded_network


def publish(path):
    model = padded_network(12, padding=2)
    tf.keras.models.save_model(model, path)


def answer(path, digits):
    model = tf.keras.models.load_model(path, safe_mode=False)
    return model.predict(digits, verbose=0).argmax(axis=1)


with tempfile.TemporaryDirectory() as store:
    published = os.path.join(store, "model_.keras")
    publish(published)
    print(answer(published, np.zeros((3, 12, 12, 1), "float32")))
