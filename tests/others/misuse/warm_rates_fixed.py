"""Speech transformer's learning rate: a linear warm-up, then a linear decay."""

import keras
import numpy as np
import tensorflow as tf


class CustomSchedule(keras.optimizers.schedules.LearningRateSchedule):
    def __init__(
        self, init_lr=1e-5, lr_after_warmup=1e-3, final_lr=1e-5, warmup_epochs=3, decay_epochs=8, steps_per_epoch=5
    ):
        super().__init__()
        self.init_lr = init_lr
        self.lr_after_warmup = lr_after_warmup
        self.final_lr = final_lr
        self.warmup_epochs = warmup_epochs
        self.decay_epochs = decay_epochs
        self.steps_per_epoch = steps_per_epoch

    def calculate_lr(self, epoch):
        warmup_lr = self.init_lr + ((self.lr_after_warmup - self.init_lr) / (self.warmup_epochs - 1)) * epoch
        decay_lr = tf.math.maximum(
            self.final_lr,
            self.lr_after_warmup
            - (epoch - self.warmup_epochs) * (self.lr_after_warmup - self.final_lr) / self.decay_epochs,
        )
        return tf.math.minimum(warmup_lr, decay_lr)

    def __call__(self, step):
        epoch = tf.cast(step // self.steps_per_epoch, tf.float32)
        return self.calculate_lr(epoch)


def main():
    rng = np.random.default_rng(9)
    frames = rng.normal(size=(40, 10)).astype("float32")
    model = keras.Sequential([keras.Input((10,)), keras.layers.Dense(4)])
    model.compile(optimizer=keras.optimizers.Adam(CustomSchedule()), loss="mse")
    model.fit(frames, frames[:, :4], batch_size=8, epochs=2, verbose=2)


if __name__ == "__main__":
    main()
