"""Tags names in sentences with a ready tagger, fine-tuned on a few examples."""

import numpy as np
import tf_keras
from tensorflow.keras.optimizers import Adam  # <- cause

TAGS = ["O", "PERSON", "PLACE"]


class TokenTagger(tf_keras.Model):
    """Stands for a tagger of a library that still builds on Keras 2."""

    def __init__(self, words, tags, width=12):
        super().__init__()
        self.embed = tf_keras.layers.Embedding(words, width)
        self.head = tf_keras.layers.Dense(tags, activation="softmax")

    def call(self, ids):
        return self.head(self.embed(ids))


class NameTagger:
    def __init__(self, learning_rate=1e-3, epochs=2):
        self._learning_rate = learning_rate
        self._epochs = epochs
        self._model = TokenTagger(200, len(TAGS))

    def build_and_train(self, tokens, tags):
        self._model.compile(
            optimizer=Adam(learning_rate=self._learning_rate),
            loss="sparse_categorical_crossentropy",
            metrics=["accuracy"],
        )
        self._model.fit(tokens, tags, epochs=self._epochs, verbose=2)


if __name__ == "__main__":
    rng = np.random.default_rng(5)
    tokens = rng.integers(0, 200, (80, 9))
    NameTagger().build_and_train(tokens, tokens % len(TAGS))
