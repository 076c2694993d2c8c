import time

import keras


class ProgressLogger(keras.callbacks.Callback):
    """Prints one line for each epoch."""

    def __init__(self, epochs, loss):
        super().__init__()
        self.epochs = epochs
        self.loss = loss
        self.seconds = 0.0

    def on_epoch_begin(self, epoch, logs=None):
        self.began = time.time()

    def on_epoch_end(self, epoch, logs=None):
        self.seconds += time.time() - self.began
        print(f"{epoch + 1}/{self.epochs} {self.loss} {(logs or {}).get('loss', 0):.3f}")
