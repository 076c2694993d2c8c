import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf
from tensorflow.keras import Input, Model
from tensorflow.keras.callbacks import Callback
from tensorflow.keras.layers import Dense


class StopWhenGood(Callback):
    """Ends the training once the accuracy is high enough."""

    def __init__(self, enough):
        super().__init__()
        self.enough = enough
        self.names = {"score": "acc", "cost": "loss"}  # <- cause

    def on_epoch_end(self, epoch, logs=None):
        report = {key: round(float(logs[name]), 3) for key, name in self.names.items()}  # <- cause
        print("epoch", epoch + 1, report, flush=True)
        if report["score"] > self.enough:
            self.model.stop_training = True


def blobs(count, classes=5, seed=6):
    draw = np.random.default_rng(seed)
    centres = draw.normal(0, 4, (classes, 10))
    labels = draw.integers(0, classes, count)
    return (centres[labels] + draw.normal(size=(count, 10))).astype("float32"), labels


def network(classes=5):
    inputs = Input((10,))
    hidden = Dense(8, activation="selu", kernel_initializer="lecun_normal")(inputs)
    model = Model(inputs, Dense(classes, activation="softmax")(hidden))
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


if __name__ == "__main__":
    tf.keras.utils.set_random_seed(1)
    points, labels = blobs(400)
    network().fit(points, labels, epochs=4, callbacks=[StopWhenGood(0.9)], verbose=0)
