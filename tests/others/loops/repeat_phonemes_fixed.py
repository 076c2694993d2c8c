import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf

FEATURES = 3


@tf.function(
    input_signature=[
        tf.TensorSpec(shape=(None, None, FEATURES), dtype=tf.float32),
        tf.TensorSpec(shape=(None, None), dtype=tf.int32),
    ]
)
def stretch(phonemes, durations):
    """Repeats each phoneme vector as often as its duration says; pads with zeros."""
    batch = tf.shape(phonemes)[0]
    steps = tf.shape(phonemes)[1]
    longest = tf.reduce_max(tf.reduce_sum(durations, axis=1))

    stretched = tf.TensorArray(tf.float32, size=batch)
    for i in tf.range(batch):
        pieces = tf.TensorArray(tf.float32, size=0, dynamic_size=True, element_shape=(FEATURES,))
        n = 0
        for j in tf.range(steps):
            for _ in tf.range(durations[i, j]):
                pieces = pieces.write(n, phonemes[i, j])
                n += 1
        frames = pieces.stack()
        missing = longest - tf.shape(frames)[0]
        stretched = stretched.write(i, tf.pad(frames, [[0, missing], [0, 0]]))
    return stretched.stack()


def make_utterances(count, steps, seed):
    rng = np.random.default_rng(seed)
    phonemes = rng.random((count, steps, FEATURES)).astype("float32")
    durations = rng.integers(1, 4, size=(count, steps)).astype("int32")
    return phonemes, durations


def numpy_check(phonemes, durations, frames):
    for row in range(len(phonemes)):
        expected = np.repeat(phonemes[row], durations[row], axis=0)
        got = frames[row, : len(expected)]
        assert np.allclose(expected, got), row


def main():
    for seed, (count, steps) in enumerate([(2, 3), (4, 5)]):
        phonemes, durations = make_utterances(count, steps, seed)
        print("durations per utterance:", durations.sum(axis=1))
        frames = stretch(phonemes, durations).numpy()
        print("frames:", frames.shape)
        numpy_check(phonemes, durations, frames)


if __name__ == "__main__":
    main()
