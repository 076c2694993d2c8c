import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf

TARGET = 0.90


class StopWhenGood(tf.keras.callbacks.Callback):
    def __init__(self, target):
        super().__init__()
        self.target = target
        self.stopped_at = None

    def on_epoch_end(self, epoch, logs={}):
        if logs.get("acc") > self.target:  # <- cause
            print("\nReached %.0f%% accuracy, stopping" % (100 * self.target))
            self.stopped_at = epoch
            self.model.stop_training = True


def drawn_clothes(n=600, side=14):
    rng = np.random.default_rng(5)
    kinds = rng.integers(0, 3, size=n)
    pictures = rng.uniform(0, 60, size=(n, side, side))
    for i, kind in enumerate(kinds):
        if kind == 0:
            pictures[i, 2:12, 5:9] += 150
        elif kind == 1:
            pictures[i, 9:12, 1:13] += 150
        else:
            pictures[i, 2:5, 1:13] += 150
    return pictures.astype("float32"), kinds


tf.keras.utils.set_random_seed(5)
train_images, train_labels = drawn_clothes()
train_images = train_images / 255.0

model = tf.keras.models.Sequential(
    [
        tf.keras.layers.Input(shape=(14, 14)),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(32, activation="relu"),
        tf.keras.layers.Dense(3, activation="softmax"),
    ]
)
model.compile(
    optimizer="adam",
    loss="sparse_categorical_crossentropy",
    metrics=["accuracy"],  # <- cause
)

stopper = StopWhenGood(TARGET)
model.fit(train_images, train_labels, epochs=8, batch_size=32, callbacks=[stopper], verbose=2)
print("stopped at epoch:", stopper.stopped_at)
