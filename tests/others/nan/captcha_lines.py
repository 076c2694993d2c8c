import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF_USE_LEGACY_KERAS"] = "1"

import numpy as np
import tensorflow as tf
import tf_keras as keras

LETTERS, LABEL = 10, 4
HEIGHT, WIDTH = 16, 64


class Captchas(keras.utils.Sequence):
    def __init__(self, batches, batch=8, seed=29):
        draw = np.random.default_rng(seed)
        self.pictures = draw.random((batches, batch, HEIGHT, WIDTH, 1)).astype("float32")
        self.labels = draw.integers(0, LETTERS, (batches, batch, LABEL)).astype("float32")

    def __len__(self):
        return len(self.pictures)

    def __getitem__(self, number):
        return self.pictures[number], self.labels[number]


def ctc(labels, scores):
    rows = tf.shape(scores)[0]
    frames = tf.fill([rows, 1], tf.shape(scores)[1])
    lengths = tf.fill([rows, 1], LABEL)
    return keras.backend.ctc_batch_cost(labels, scores, frames, lengths)


def recogniser(blocks=4):  # <- cause
    x = inputs = keras.Input((HEIGHT, WIDTH, 1))
    for block in range(blocks):
        x = keras.layers.Conv2D(8 * 2**block, 3, padding="same", activation="relu")(x)
        x = keras.layers.MaxPooling2D(2, padding="same")(x)  # <- cause
    x = keras.layers.Permute((2, 1, 3))(x)
    x = keras.layers.TimeDistributed(keras.layers.Flatten())(x)
    x = keras.layers.Bidirectional(keras.layers.GRU(16, return_sequences=True))(x)
    return keras.Model(inputs, keras.layers.Dense(LETTERS + 1, activation="softmax")(x))


def main():
    keras.utils.set_random_seed(1)
    model = recogniser()
    model.compile(keras.optimizers.Adam(1e-3), loss=ctc)
    model.fit(Captchas(12), epochs=2, shuffle=False, verbose=2)


if __name__ == "__main__":
    main()
