import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

tf.keras.utils.set_random_seed(8)
rng = np.random.default_rng(8)

vocab_size = 60
max_len = 8
n_pairs = 300

first = rng.integers(1, vocab_size, size=(n_pairs, max_len))
second = rng.integers(1, vocab_size, size=(n_pairs, max_len))
is_duplicate = rng.integers(0, 2, size=n_pairs)
second[is_duplicate == 1] = first[is_duplicate == 1]
swap = rng.integers(0, max_len, size=n_pairs)
second[np.arange(n_pairs), swap] = rng.integers(1, vocab_size, size=n_pairs)

left_in = layers.Input(shape=(max_len,), dtype="int32")
right_in = layers.Input(shape=(max_len,), dtype="int32")
embed = layers.Embedding(vocab_size, 12)
encode = layers.LSTM(12)
left = encode(embed(left_in))
right = encode(embed(right_in))
gap = layers.Subtract()([left, right])
gap = layers.Multiply()([gap, gap])
answer = layers.Dense(1, activation="sigmoid")(gap)

model = tf.keras.Model([left_in, right_in], answer)
model.compile(loss="binary_crossentropy", optimizer="adam", metrics=["accuracy"])

trained = model.fit(
    [first, second],
    is_duplicate,
    validation_split=0.2,
    epochs=2,
    batch_size=32,
    verbose=2,
)


def text_plot(title, train, val):
    print(title)
    for epoch, (a, b) in enumerate(zip(train, val), start=1):
        print("  %2d |%-30s| %.3f" % (epoch, "#" * int(30 * min(a, 1.0)), a))
        print("     |%-30s| %.3f" % ("-" * int(30 * min(b, 1.0)), b))


text_plot("Loss", trained.history["loss"], trained.history["val_loss"])
text_plot("Accuracy", trained.history["accuracy"], trained.history["val_accuracy"])
