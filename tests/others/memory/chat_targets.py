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

targets = np.zeros((ANSWERS, WORDS, VOCABULARY), dtype="float32")  # <- cause
for row, answer in enumerate(answers):
    for position, word in enumerate(answer):
        targets[row, position] = keras.utils.to_categorical(word, VOCABULARY)
model.fit(questions, targets, batch_size=8, epochs=1, steps_per_epoch=10, verbose=2)
