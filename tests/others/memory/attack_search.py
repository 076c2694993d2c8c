import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np


class Attack:
    """Tries words in the place of others until the classifier changes its mind."""

    def __init__(self, model, vocabulary):
        self.model = model
        self.vocabulary = vocabulary

    def candidates(self, text):
        changed = np.repeat(text[None, :], self.vocabulary, axis=0)
        changed[:, 3] = np.arange(self.vocabulary)
        return changed

    def call_model(self, texts):
        return self.model(texts)  # <- cause

    def best(self, text):
        texts = self.candidates(text)
        scores = self.call_model(texts)
        return int(np.argmax(np.asarray(scores)[:, 0]))


words = keras.Input((200,), dtype="int32")
x = keras.layers.Embedding(20_000, 64)(words)
x = keras.layers.Conv1D(96, 3, activation="relu")(x)
x = keras.layers.GlobalMaxPooling1D()(x)
classifier = keras.Model(words, keras.layers.Dense(2, activation="softmax")(x))
sentence = np.random.default_rng(0).integers(0, 20_000, 200)
print(classifier(sentence[None, :]).shape)
print(Attack(classifier, 20_000).best(sentence))
