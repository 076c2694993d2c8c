import tensorflow as tf


class LearningLog(tf.keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.rows = []

    def on_epoch_end(self, epoch, logs=None):
        self.rows.append({"epoch": epoch, **(logs or {})})


class StopWhenGood(tf.keras.callbacks.Callback):
    """Ends the training as soon as the validation error is small enough."""

    def __init__(self, target):
        super().__init__()
        self.target = target

    def on_epoch_end(self, epoch, logs=None):
        error = logs.get("val_mae")  # <- cause
        if error < self.target:
            print(f"error {error:.3f} is below {self.target}, stopping")
            self.model.stop_training = True
