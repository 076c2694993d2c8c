"""Compares voices: embeds utterances, averages those of each speaker, and rescales the cosine similarity."""

import numpy as np
import tensorflow as tf

SPEAKERS, UTTERANCES, FRAMES, BANDS, PROJECTION = 4, 5, 30, 16, 8


def normalize(x):
    return x / tf.sqrt(tf.reduce_sum(x**2, axis=-1, keepdims=True) + 1e-6)


def similarity(embedded, w, b, center):
    """Similarity of each utterance to each speaker's centre, as w * cosine + b."""
    rows = [tf.reduce_sum(normalize(embedded) * normalize(center[s]), axis=-1) for s in range(center.shape[0])]
    cosine = tf.stack(rows, axis=-1)
    return tf.abs(w) * cosine + b


class Encoder(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.rnn = tf.keras.layers.GRU(12)
        self.project = tf.keras.layers.Dense(PROJECTION)

    def call(self, frames):
        return normalize(self.project(self.rnn(frames)))


def record(seed):
    rng = np.random.default_rng(seed)
    voices = np.random.default_rng(0).normal(size=(SPEAKERS, 1, 1, BANDS))
    noise = rng.normal(0, 0.2, (SPEAKERS, UTTERANCES, FRAMES, BANDS))
    return (voices + noise).astype("float32").reshape(-1, FRAMES, BANDS)


def verify(encoder):
    enrolled = tf.reshape(encoder(record(1)), [SPEAKERS, UTTERANCES, PROJECTION])
    center = tf.reduce_mean(enrolled, axis=1)
    verified = encoder(record(2))
    matrix = similarity(embedded=verified, w=1.0, b=0.0, center=center)
    guess = tf.argmax(matrix, axis=1).numpy()
    truth = np.repeat(np.arange(SPEAKERS), UTTERANCES)
    return (guess == truth).mean()


if __name__ == "__main__":
    tf.keras.utils.set_random_seed(3)
    print("equal share", verify(Encoder()))
