"""Click prediction from sparse features: first order, pairwise products, and a deep part."""

import numpy as np
import tensorflow as tf

FIELDS = {"user": 50, "movie": 80, "genre": 12}


class PairwiseProduct(tf.keras.layers.Layer):
    """Sum of the inner products of all pairs of field vectors."""

    def __init__(self, scale=1.0):
        super().__init__()
        self.scale = scale
        self.squeeze = tf.keras.layers.Dense(1, use_bias=False)

    def call(self, vectors):
        stacked = tf.stack(vectors, axis=1)
        square_of_sum = tf.square(tf.reduce_sum(stacked, axis=1))
        sum_of_square = tf.reduce_sum(tf.square(stacked), axis=1)
        return self.squeeze(self.scale * 0.5 * (square_of_sum - sum_of_square))


def deep_fm(width=6):
    inputs = {name: tf.keras.layers.Input(shape=(), name=name, dtype="int32") for name in FIELDS}
    vectors, first_order = [], []
    for name, size in FIELDS.items():
        vectors.append(tf.keras.layers.Embedding(size, width)(inputs[name]))
        first_order.append(tf.keras.layers.Embedding(size, 1)(inputs[name]))
    linear = tf.keras.layers.Add()(first_order)
    pairs = PairwiseProduct()(vectors)
    deep = tf.keras.layers.Concatenate()(vectors)
    for units in (32, 16):
        deep = tf.keras.layers.Dense(units, activation="relu")(deep)
    score = tf.keras.layers.Concatenate()([linear, pairs, deep])
    return tf.keras.Model(inputs, tf.keras.layers.Dense(1, activation="sigmoid")(score))


def clicks(count):
    rng = np.random.default_rng(60)
    features = {name: rng.integers(0, size, count).astype("int32") for name, size in FIELDS.items()}
    return features, (features["genre"] % 3 == 0).astype("float32")


if __name__ == "__main__":
    features, clicked = clicks(400)
    model = deep_fm()
    model.compile(loss="binary_crossentropy", optimizer="adam", metrics=["accuracy"])
    model.fit(features, clicked, epochs=1, batch_size=50, verbose=0)
    print(model.evaluate(features, clicked, verbose=0))
