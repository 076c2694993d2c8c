"""A pipeline over pairs of measurements and species; the function that scales them takes one argument."""

import numpy as np
import tensorflow as tf

AUTOTUNE = tf.data.AUTOTUNE
SPECIES = 3


def load_flowers(as_supervised=True, seed=12):
    """Stands for the loader of a data-set library: pairs, or dictionaries."""
    rng = np.random.default_rng(seed)
    species = rng.integers(0, SPECIES, size=150)
    sizes = (rng.normal(size=(150, 4)) + species[:, None]).astype("float32")
    if as_supervised:
        return tf.data.Dataset.from_tensor_slices((sizes, species))
    return tf.data.Dataset.from_tensor_slices({"features": sizes, "label": species})


def scale(element):
    return element["features"] / 10.0, element["label"]


def pipeline(batch_size=16):
    data = load_flowers(as_supervised=True)  # <- cause
    data = data.map(lambda ds: (ds["features"] / 10.0, ds["label"]), num_parallel_calls=AUTOTUNE)  # <- cause
    data = data.cache().shuffle(150, seed=1)
    train = data.take(120).batch(batch_size).prefetch(AUTOTUNE)
    test = data.skip(120).batch(batch_size)
    return train, test


train, test = pipeline()
model = tf.keras.Sequential(
    [
        tf.keras.layers.Input((4,)),
        tf.keras.layers.Dense(16, activation="relu"),
        tf.keras.layers.Dense(SPECIES),
    ]
)
model.compile(
    optimizer="adam",
    loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
model.fit(train, epochs=2, verbose=0)
print("test accuracy", round(model.evaluate(test, verbose=0)[1], 3))
