import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

ANSWERS, WORDS, VOCABULARY = 3000, 20, 15_000
rng = np.random.default_rng(1)
questions = rng.integers(1, VOCABULARY, size=(ANSWERS, WORDS))
answers = rng.integers(1, VOCABULARY, size=(ANSWERS, WORDS))

model = keras.Sequential(
    [
        keras.Input((WORDS,)),
        keras.layers.Embedding(VOCABULARY, 8),
        keras.layers.LSTM(8, return_sequences=True),
        keras.layers.Dense(VOCABULARY, activation="softmax"),
    ]
)
model.compile("adam", "categorical_crossentropy")


def batches(size):
    while True:
        for start in range(0, ANSWERS, size):
            part = slice(start, start + size)
            yield questions[part], keras.utils.to_categorical(answers[part], VOCABULARY)


model.fit(batches(8), epochs=1, steps_per_epoch=10, verbose=2)
