"""Sick or healthy from a table of measurements."""

import numpy as np
import pandas as pd
import tensorflow as tf

MEASUREMENTS = ["age", "pressure", "cholesterol", "rate", "oldpeak"]


def read_records(rows=1_200):
    rng = np.random.default_rng(14)
    frame = pd.DataFrame(rng.normal(size=(rows, len(MEASUREMENTS))), columns=MEASUREMENTS)
    frame["age"] = frame["age"] * 9 + 54
    frame["target"] = (frame["oldpeak"] + 0.05 * (frame["age"] - 54) > 0).astype(int)
    return frame


def split(frame, part=0.8):
    shuffled = frame.sample(frac=1.0, random_state=1)
    cut = int(len(shuffled) * part)
    return shuffled.iloc[:cut], shuffled.iloc[cut:]


train_frame, test_frame = split(read_records())
scale = tf.keras.layers.Normalization()
scale.adapt(train_frame[MEASUREMENTS].to_numpy())

model = tf.keras.models.Sequential(
    [
        tf.keras.Input((len(MEASUREMENTS),)),
        scale,
        tf.keras.layers.Dense(32, activation="relu"),
        tf.keras.layers.Dense(16, activation="relu"),
        tf.keras.layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile(
    optimizer="adam",
    loss="binary_crossentropy",
    metrics=["accuracy"],
)
model.fit(
    train_frame[MEASUREMENTS].to_numpy(),
    train_frame["target"].to_numpy(),
    epochs=3,
    batch_size=32,
    verbose=2,
)
print(model.evaluate(test_frame[MEASUREMENTS].to_numpy(), test_frame["target"].to_numpy(), verbose=0))
