"""Loading of recorded drives, and the network that steers the car."""
import glob
import sys
import time

import numpy as np
import tensorflow as tf


def load_data(input_size, path):
    print("Loading training data...")
    start = time.time()
    X = np.empty((0, input_size))
    y = np.empty((0, 4))
    training_data = glob.glob(path)
    if not training_data:
        print("Data not found, exit")
        sys.exit()
    for single_npz in sorted(training_data):
        with np.load(single_npz) as data:
            train = data["train"]
            train_labels = data["train_labels"]
        X = np.vstack((X, train))
        y = np.vstack((y, train_labels))
    print("Image array shape:", X.shape, "Label array shape:", y.shape)
    print("Loading took %.1f s" % (time.time() - start))
    X = X / 255.0
    order = np.random.default_rng(0).permutation(len(X))
    cut = int(0.8 * len(X))
    return X[order[:cut]], X[order[cut:]], y[order[:cut]], y[order[cut:]]


class NeuralNetwork:
    def create(self, layer_sizes):
        self.model = tf.keras.Sequential([tf.keras.Input((layer_sizes[0],))])
        for units in layer_sizes[1:-1]:
            self.model.add(tf.keras.layers.Dense(units, activation="relu"))
        self.model.add(tf.keras.layers.Dense(layer_sizes[-1], activation="softmax"))
        self.model.compile("adam", "categorical_crossentropy", metrics=["accuracy"])

    def train(self, X, y):
        self.model.fit(X, y, epochs=3, batch_size=32, verbose=2)

    def evaluate(self, X, y):
        return self.model.evaluate(X, y, verbose=0)[1]
