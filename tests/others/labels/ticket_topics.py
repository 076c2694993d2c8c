"""Topic classifier for support tickets."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import pandas as pd
import tensorflow as tf
from tensorflow.keras import layers, models
from tensorflow.keras.utils import to_categorical

TOPICS = ["billing", "login", "shipping", "returns", "warranty", "spam", "other"]
VOCAB = 200
MAXLEN = 12


def load_tickets(n=280, seed=3):
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        topic = i % len(TOPICS)
        words = rng.integers(1, VOCAB, size=MAXLEN)
        words[:3] = topic * 20 + rng.integers(1, 20, size=3)
        rows.append({"ticket": i, "tokens": words, "topic": TOPICS[topic]})
    return pd.DataFrame(rows).sample(frac=1.0, random_state=seed).reset_index(drop=True)


def encode_labels(frame):
    mapping = {name: code for code, name in enumerate(TOPICS, start=1)}  # <- cause
    codes = frame["topic"].map(mapping)
    return to_categorical(codes)  # <- cause


def encode_tokens(frame):
    return np.stack(frame["tokens"].to_list()).astype("int32")


def build_model(num_classes):
    model = models.Sequential([
        layers.Input(shape=(MAXLEN,)),
        layers.Embedding(VOCAB, 16),
        layers.Bidirectional(layers.LSTM(8)),
        layers.Dropout(0.2),
        layers.Dense(num_classes, activation="softmax"),  # <- cause
    ])
    model.compile(loss="categorical_crossentropy", optimizer="adam", metrics=["accuracy"])
    return model


def main():
    tf.keras.utils.set_random_seed(3)
    frame = load_tickets()
    x = encode_tokens(frame)
    y = encode_labels(frame)
    cut = int(len(x) * 0.8)

    model = build_model(num_classes=len(TOPICS))  # <- cause
    model.summary()
    model.fit(x[:cut], y[:cut], validation_data=(x[cut:], y[cut:]),
              epochs=2, batch_size=32, verbose=2)
    predicted = model.predict(x[cut:], verbose=0).argmax(axis=1)
    print(pd.Series(predicted).value_counts())


if __name__ == "__main__":
    main()
