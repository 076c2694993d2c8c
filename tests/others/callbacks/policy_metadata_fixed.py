"""Supervised training of a policy over board positions; a metadata file is written after each epoch."""
import json
import os
import tempfile

import numpy as np
from tensorflow import keras

BOARD = 7


class MetadataWriterCallback(keras.callbacks.Callback):
    """Keeps everything about the run in one JSON file that is rewritten after each epoch."""

    def __init__(self, path):
        super().__init__()
        self.file = path
        self.metadata = {"epochs": [], "best_epoch": 0}

    def on_epoch_end(self, epoch, logs=None):
        logs = dict(logs or {})
        logs["lr"] = float(self.model.optimizer.learning_rate.numpy())
        self.metadata["epochs"].append(logs)
        key = "val_loss" if "val_loss" in logs else "loss"
        best = min(self.metadata["epochs"], key=lambda entry: entry[key])
        self.metadata["best_epoch"] = self.metadata["epochs"].index(best)
        with open(self.file, "w") as f:
            json.dump(self.metadata, f, indent=2)


def positions(count, seed):
    rng = np.random.default_rng(seed)
    boards = rng.integers(-1, 2, (count, BOARD, BOARD, 1)).astype("float32")
    moves = np.argmax(boards.reshape(count, -1) + 0.1 * rng.random((count, BOARD * BOARD)), axis=1)
    return boards, keras.utils.to_categorical(moves, BOARD * BOARD)


def policy():
    model = keras.Sequential([
        keras.layers.Input((BOARD, BOARD, 1)),
        keras.layers.Conv2D(16, 3, padding="same", activation="relu"),
        keras.layers.Conv2D(1, 1, padding="same"),
        keras.layers.Flatten(),
        keras.layers.Activation("softmax"),
    ])
    model.compile(loss="categorical_crossentropy", optimizer=keras.optimizers.SGD(learning_rate=0.03),
                  metrics=["accuracy"])
    return model


def run_training(out_directory, epochs=3):
    model = policy()
    train_x, train_y = positions(320, 0)
    val_x, val_y = positions(64, 1)
    meta_writer = MetadataWriterCallback(os.path.join(out_directory, "metadata.json"))
    model.fit(train_x, train_y, epochs=epochs, batch_size=32, validation_data=(val_x, val_y),
              callbacks=[meta_writer], verbose=2)
    print("best epoch:", meta_writer.metadata["best_epoch"])


if __name__ == "__main__":
    run_training(tempfile.mkdtemp())
