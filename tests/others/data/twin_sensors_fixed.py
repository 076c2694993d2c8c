"""Learns the signal of one sensor from another's; a pool of threads reads the pairs."""

import multiprocessing.pool

import numpy as np
import tensorflow as tf

tf.random.set_seed(0)

LENGTH = 32
COUNT = 240


def read_pair(number):
    """The signals of the two sensors of one machine over the same seconds."""
    rng = np.random.default_rng(number)
    t = np.linspace(0, 6, LENGTH)
    speed = rng.uniform(1, 3)
    outer = np.sin(speed * t) + 0.1 * rng.standard_normal(LENGTH)
    inner = np.cos(speed * t)
    return np.stack([outer, inner]).astype("float32")


def pair_dataset(pool, numbers, batch_size):
    def generate():
        for pair in pool.imap(read_pair, numbers):
            yield tuple(pair)

    dataset = tf.data.Dataset.from_generator(
        generate,
        (tf.float32, tf.float32),
        (tf.TensorShape([LENGTH]), tf.TensorShape([LENGTH])),
    )
    return dataset.batch(batch_size).prefetch(1)


def translator():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input((LENGTH,)),
            tf.keras.layers.Dense(64, activation="relu"),
            tf.keras.layers.Dense(LENGTH),
        ]
    )
    model.compile(optimizer="adam", loss="mse")
    return model


def main():
    pool = multiprocessing.pool.ThreadPool(2)
    train = pair_dataset(pool, range(COUNT), 16)
    test = pair_dataset(pool, range(COUNT, COUNT + 40), 16)
    model = translator()
    model.fit(train, epochs=3, verbose=2)
    print("error on other machines:", model.evaluate(test, verbose=0))
    pool.close()


if __name__ == "__main__":
    main()
