import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

GOOD = ["lovely", "quick", "sturdy", "bright", "cheap"]
BAD = ["broken", "late", "dull", "flimsy", "noisy"]
FILLER = ["the", "lamp", "arrived", "and", "is", "was", "very"]
MAX_WORDS = 40
SEQ_LEN = 8


def write_reviews(count, seed):
    rng = np.random.default_rng(seed)
    texts, marks = [], []
    for _ in range(count):
        mark = int(rng.integers(0, 2))
        words = list(rng.choice(FILLER, size=5))
        words += list(rng.choice(GOOD if mark else BAD, size=2))
        rng.shuffle(words)
        texts.append(" ".join(words))
        marks.append(mark)
    return np.array(texts), np.array(marks, dtype="float32")


def build_model(corpus):
    vectorize = layers.TextVectorization(
        max_tokens=MAX_WORDS,
        output_mode="int",
        output_sequence_length=SEQ_LEN,
    )
    vectorize.adapt(corpus)
    text = tf.keras.Input(shape=(1,), dtype=tf.string, name="review")
    x = vectorize(text)
    x = layers.Embedding(MAX_WORDS + 1, 8)(x)
    x = layers.GlobalAveragePooling1D()(x)
    score = layers.Dense(1, activation="sigmoid")(x)
    model = tf.keras.Model(text, score)
    model.compile(loss="binary_crossentropy", optimizer="adam", metrics=["accuracy"])
    return model


def as_dataset(texts, marks, batch_size):
    ds = tf.data.Dataset.from_tensor_slices((texts[:, None], marks[:, None]))
    return ds.batch(batch_size)


train_texts, train_marks = write_reviews(120, seed=1)
test_texts, test_marks = write_reviews(40, seed=2)
print("example:", train_texts[0], "->", train_marks[0])

model = build_model(train_texts)
model.fit(as_dataset(train_texts, train_marks, 20), epochs=3, verbose=0)
loss, acc = model.evaluate(as_dataset(test_texts, test_marks, 20), verbose=0)
print(f"test loss {loss:.3f} accuracy {acc:.3f}")
