"""Train, save and reload a network with an own projection layer."""
import os
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf
from tensorflow.keras.layers import Dense, Input, Layer
from tensorflow.keras.models import Sequential, load_model


class MyLayer(Layer):
    def __init__(self, output_dim, **kwargs):
        self.output_dim = output_dim
        super().__init__(**kwargs)

    def build(self, input_shape):
        self.kernel = self.add_weight(name="kernel",
                                      shape=(input_shape[1], self.output_dim),
                                      initializer="uniform",
                                      trainable=True)
        super().build(input_shape)

    def call(self, x):
        return tf.matmul(x, self.kernel)

    def compute_output_shape(self, input_shape):
        return (input_shape[0], self.output_dim)

    def get_config(self):
        config = super().get_config()
        config.update({"output_dim": self.output_dim})
        return config


def make_data(n=128, dim=20, seed=6):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, dim)).astype("float32")
    w = rng.normal(size=(dim, 3))
    return x, (x @ w).argmax(axis=1)


def build_model(dim):
    model = Sequential()
    model.add(Input(shape=(dim,)))
    model.add(Dense(32, activation="relu"))
    model.add(MyLayer(10))
    model.add(Dense(3, activation="softmax"))
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def score(path, x, y):
    model = load_model(path, custom_objects={"MyLayer": MyLayer})
    return model.evaluate(x, y, verbose=0)


def main():
    tf.keras.utils.set_random_seed(6)
    x, y = make_data()
    model = build_model(x.shape[1])
    model.fit(x[:96], y[:96], epochs=2, verbose=2)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "mode_test.h5")
        model.save(path)
        print("saved", os.path.getsize(path), "bytes")
        loss, acc = score(path, x[96:], y[96:])
    print("reloaded loss %.3f acc %.3f" % (loss, acc))


if __name__ == "__main__":
    main()
