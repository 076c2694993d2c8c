import numpy as np
import tensorflow as tf
from tensorflow import keras

MAX_LEN = 20
JOINTS = 12


def record_walk(rng, style):
    n = int(rng.integers(9, MAX_LEN + 1))
    phase = np.linspace(0, 2 * np.pi * (1 + style), n)[:, None]
    offsets = np.linspace(0, np.pi, JOINTS)[None, :]
    return np.sin(phase + offsets) + rng.normal(0, 0.1, (n, JOINTS))


def make_set(n, seed):
    rng = np.random.default_rng(seed)
    clips = np.full((n, MAX_LEN, JOINTS), np.nan, dtype="float32")
    styles = rng.integers(0, 3, n)
    for i, s in enumerate(styles):
        walk = record_walk(rng, s)
        clips[i, :len(walk)] = walk
    return clips, styles.astype("int64")


class GaitEncoder(keras.Model):
    def __init__(self, heads=2, key_dim=8, n_styles=3):
        super().__init__()
        self.project = keras.layers.Dense(16)
        self.attend = keras.layers.MultiHeadAttention(heads, key_dim)
        self.norm = keras.layers.LayerNormalization()
        self.head = keras.layers.Dense(n_styles)

    def call(self, clips):
        present = tf.reduce_all(tf.math.is_finite(clips), axis=-1)
        allowed = tf.logical_and(present[:, :, None], present[:, None, :])
        clips = tf.where(tf.math.is_finite(clips), clips, tf.zeros_like(clips))
        h = self.project(clips)
        h = self.norm(h + self.attend(h, h, attention_mask=allowed))
        weight = tf.cast(present, h.dtype)[:, :, None]
        pooled = tf.reduce_sum(h * weight, axis=1) / tf.reduce_sum(weight, axis=1)
        return self.head(pooled)


def main():
    x, y = make_set(192, seed=7)
    xv, yv = make_set(48, seed=8)
    model = GaitEncoder()
    model.compile(optimizer=keras.optimizers.Adam(2e-3),
                  loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                  metrics=["accuracy"])
    model.fit(x, y, validation_data=(xv, yv), batch_size=32, epochs=3, verbose=2)


if __name__ == "__main__":
    main()
