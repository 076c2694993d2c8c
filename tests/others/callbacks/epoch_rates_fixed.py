import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

STEPS = {0: 1e-2, 1: 1e-3, 2: 1e-4}


class PrintRate(keras.callbacks.Callback):
    """Prints the learning rate of each epoch."""

    def on_epoch_begin(self, epoch, logs=None):
        self.model.optimizer.learning_rate = STEPS[epoch]

    def on_epoch_end(self, epoch, logs=None):
        print(f"rate of epoch {epoch + 1}: {float(self.model.optimizer.learning_rate)}", flush=True)


def digits(count, seed=4):
    draw = np.random.default_rng(seed)
    labels = draw.integers(0, 10, count)
    pictures = draw.random((count, 8, 8, 1)) + labels[:, None, None, None] / 10
    return pictures.astype("float32"), labels


def network():
    model = keras.Sequential([keras.Input((8, 8, 1)), keras.layers.Conv2D(4, 3, activation="relu")])
    model.add(keras.layers.Flatten())
    model.add(keras.layers.Dense(10, activation="softmax"))
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def main():
    pictures, labels = digits(128)
    history = network().fit(pictures, labels, epochs=3, batch_size=32, callbacks=[PrintRate()], verbose=0)
    print(history.history["loss"])


main()
