"""Reviews of films as numbers of word parts, straight from a data set, into a small classifier."""

import numpy as np
import tensorflow as tf

WORDS, WIDTH, BATCH = 80, 8, 8


def reviews(count, seed):
    rng = np.random.default_rng(seed)

    def each():
        for _ in range(count):
            length = int(rng.integers(6, 20))
            yield rng.integers(1, WORDS, length), int(rng.integers(0, 2))

    signature = (tf.TensorSpec((None,), tf.int64), tf.TensorSpec((), tf.int64))
    return tf.data.Dataset.from_generator(each, output_signature=signature)


def classifier():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Embedding(WORDS, WIDTH),
            tf.keras.layers.GlobalAveragePooling1D(),
            tf.keras.layers.Dense(6, activation="relu"),
            tf.keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile(loss="binary_crossentropy", optimizer="adam", metrics=["accuracy"])
    return model


def main():
    train_data, test_data = reviews(48, 1), reviews(16, 2)
    train_data = train_data.shuffle(48).padded_batch(BATCH)
    test_data = test_data.padded_batch(BATCH)
    model = classifier()
    history = model.fit(train_data, epochs=1, validation_data=test_data, verbose=0)
    print("accuracy", round(history.history["accuracy"][0], 2))


if __name__ == "__main__":
    main()
