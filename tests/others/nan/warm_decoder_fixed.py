import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

from dataclasses import dataclass

import numpy as np
import tensorflow as tf
from tensorflow import keras


@dataclass
class HParams:
    vocab: int = 40
    hidden: int = 24
    warmup_steps: int = 20
    base_rate: float = 0.02
    scheme: str = "sqrt"


class WarmupThenDecay(keras.optimizers.schedules.LearningRateSchedule):
    def __init__(self, hparams):
        super().__init__()
        self.hparams = hparams

    def __call__(self, step):
        step = tf.cast(step, tf.float32)
        warmup = float(self.hparams.warmup_steps)
        rising = self.hparams.base_rate * (step + 1.0) / warmup
        if self.hparams.scheme == "sqrt":
            decayed = self.hparams.base_rate * tf.math.rsqrt(tf.maximum(step - warmup, 1.0))
        else:
            decayed = self.hparams.base_rate * tf.math.exp(-(step - warmup) / 100.0)
        return tf.where(step < warmup, rising, decayed)


def build(hparams):
    inputs = keras.Input((None,), dtype="int32")
    x = keras.layers.Embedding(hparams.vocab, hparams.hidden)(inputs)
    x = keras.layers.GRU(hparams.hidden, return_sequences=True)(x)
    return keras.Model(inputs, keras.layers.Dense(hparams.vocab)(x))


def sentences(hparams, count=512, length=10, seed=614):
    draw = np.random.default_rng(seed)
    ids = draw.integers(0, hparams.vocab, (count, length + 1))
    return ids[:, :-1], ids[:, 1:]


def main():
    keras.utils.set_random_seed(8)
    hparams = HParams()
    source, target = sentences(hparams)
    model = build(hparams)
    model.compile(
        keras.optimizers.Adam(WarmupThenDecay(hparams)),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    )
    model.fit(source, target, batch_size=16, epochs=2, verbose=2)


if __name__ == "__main__":
    main()
