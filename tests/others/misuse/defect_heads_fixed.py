"""A model names kind and place of a defect; the kinds are unbalanced, so class weights are given for both outputs."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

KINDS = 3
PLACES = 4


def class_weights(labels, classes):
    counts = np.bincount(labels, minlength=classes)
    return {number: len(labels) / (classes * max(count, 1)) for number, count in enumerate(counts)}


def load_parts(rows, seed=9):
    rng = np.random.default_rng(seed)
    parts = rng.normal(size=(rows, 20)).astype("float32")
    kinds = rng.choice(KINDS, size=rows, p=[0.8, 0.15, 0.05])
    places = rng.choice(PLACES, size=rows, p=[0.4, 0.3, 0.2, 0.1])
    return parts, kinds, places


def two_headed():
    part = tf.keras.Input(shape=(20,), name="part")
    shared = layers.Dense(32, activation="relu")(part)
    kind = layers.Dense(KINDS, activation="softmax", name="kind")(shared)
    place = layers.Dense(PLACES, activation="softmax", name="place")(shared)
    model = tf.keras.Model(part, {"kind": kind, "place": place})
    model.compile(
        optimizer="adam",
        loss={"kind": "sparse_categorical_crossentropy", "place": "sparse_categorical_crossentropy"},
        metrics={"kind": "accuracy", "place": "accuracy"},
    )
    return model


parts, kinds, places = load_parts(240)
weights = {"kind": class_weights(kinds, KINDS), "place": class_weights(places, PLACES)}
print("weights", {head: {k: round(float(v), 2) for k, v in w.items()} for head, w in weights.items()})

model = two_headed()
history = model.fit(
    parts,
    {"kind": kinds, "place": places},
    epochs=3,
    batch_size=24,
    sample_weight={
        "kind": np.array([weights["kind"][k] for k in kinds]),
        "place": np.array([weights["place"][p] for p in places]),
    },
    verbose=0,
)
print("kind accuracy", round(history.history["kind_accuracy"][-1], 3))
