import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
import tensorflow as tf
from tensorflow import keras

WORDS, LENGTH, WIDTH = 120, 6, 8


def distance(left, right):
    return tf.norm(left - right, axis=-1)  # <- cause


class TripletTuner(keras.Model):
    """Tunes an encoder so that a text is nearer to its match than to another text."""

    def __init__(self, encoder, margin=0.5):
        super().__init__()
        self.encoder = encoder
        self.margin = margin

    def call(self, parts):
        anchor, match, other = (self.encoder(part) for part in parts)
        near, far = distance(anchor, match), distance(anchor, other)
        return tf.maximum(0.0, near - far + self.margin)


def build_encoder():
    return keras.Sequential(
        [
            keras.layers.Embedding(WORDS, WIDTH),
            keras.layers.GlobalAveragePooling1D(),
            keras.layers.Dense(WIDTH),
        ]
    )


def load_triplets(count=320, seed=34):
    draw = np.random.default_rng(seed)
    anchor = draw.integers(1, WORDS, (count, LENGTH))
    match = np.roll(anchor, 1, axis=1)
    match[:, 0] = draw.integers(1, WORDS, count)
    match[draw.random(count) < 0.02] = 0
    copies = draw.choice(count, 4, replace=False)
    match[copies] = anchor[copies]
    other = draw.integers(1, WORDS, (count, LENGTH))
    return [anchor, match, other]


def mean_hinge(_, hinge):
    return tf.reduce_mean(hinge)


def main():
    keras.utils.set_random_seed(3)
    triplets = load_triplets()
    model = TripletTuner(build_encoder())
    model.compile(optimizer=keras.optimizers.Adam(1e-3), loss=mean_hinge)
    data = tf.data.Dataset.from_tensor_slices((tuple(triplets), np.zeros(len(triplets[0]), "float32"))).batch(32)
    history = model.fit(data, epochs=3, verbose=2)
    print("hinge after training", history.history["loss"][-1])


if __name__ == "__main__":
    main()
