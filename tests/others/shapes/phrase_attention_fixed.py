"""Phrases from one language into another, letter by letter: LSTM encoder and decoder with attention between them."""

import numpy as np
import tensorflow as tf
from tensorflow import keras

LATENT = 32
BATCH = 16
SOURCE_TOKENS, TARGET_TOKENS = 20, 24
SOURCE_STEPS, TARGET_STEPS = 9, 11


def letters(count, steps, tokens, rng):
    return keras.utils.to_categorical(rng.integers(0, tokens, (count, steps)), tokens)


def translator():
    source = keras.Input((None, SOURCE_TOKENS), name="source")
    encoder = keras.layers.LSTM(LATENT, return_sequences=True, return_state=True, name="encoder")
    encoded, hidden, carry = encoder(source)

    target = keras.Input((None, TARGET_TOKENS), name="target")
    decoder = keras.layers.LSTM(LATENT, return_sequences=True, return_state=True, name="decoder")
    decoded, _, _ = decoder(target, initial_state=[hidden, carry])

    context = keras.layers.Attention(name="context")([decoded, encoded])
    joined = keras.layers.Concatenate(axis=-1, name="joined")([decoded, context])
    letters_out = keras.layers.Dense(TARGET_TOKENS, activation="softmax")(joined)
    return keras.Model([source, target], letters_out)


def main():
    tf.random.set_seed(0)
    rng = np.random.default_rng(0)
    sources = letters(48, SOURCE_STEPS, SOURCE_TOKENS, rng)
    targets = letters(48, TARGET_STEPS + 1, TARGET_TOKENS, rng)
    model = translator()
    model.compile(optimizer="rmsprop", loss="categorical_crossentropy")
    history = model.fit([sources, targets[:, :-1]], targets[:, 1:], batch_size=BATCH, epochs=1, verbose=0)
    print("loss", round(history.history["loss"][0], 3))


if __name__ == "__main__":
    main()
