"""Routes of a bus, drawn stop by stop from a table of transitions; by the likeliest stop or at random."""
import numpy as np
import tensorflow as tf

STOPS, LENGTH = 7, 9


def transitions(seed=4):
    weights = np.random.default_rng(seed).gamma(0.5, size=(STOPS, STOPS))
    return tf.constant(np.log(weights / weights.sum(1, keepdims=True) + 1e-6), tf.float32)


def likeliest(scores):
    return tf.argmax(scores, axis=-1, output_type=tf.int32)


def at_random(scores):
    drawn = tf.random.categorical(scores, 1, dtype=tf.int32, seed=8)
    return tf.squeeze(drawn, -1)


@tf.function
def routes(table, starts, is_random):
    def forward(at, here, seen):
        scores = tf.gather(table, here)
        following = at_random(scores) if is_random else likeliest(scores)
        return at + 1, following, seen.write(at, here)

    seen = tf.TensorArray(tf.int32, size=LENGTH)
    _, _, seen = tf.while_loop(lambda at, here, seen: at < LENGTH, forward, (0, starts, seen))
    return tf.transpose(seen.stack())


if __name__ == "__main__":
    table = transitions()
    depots = tf.constant([0, 3, 5])
    for is_random in (False, True):
        print("random" if is_random else "likeliest")
        print(routes(table, depots, is_random).numpy())
