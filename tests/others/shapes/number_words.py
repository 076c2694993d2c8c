"""Numbers written as words: a GRU encoder and a GRU decoder, Keras 2."""

import numpy as np
import tf_keras as keras
from tf_keras.layers import GRU, Dense, Input

DIGITS, LETTERS, UNITS = 11, 16, 20
IN_STEPS, OUT_STEPS = 5, 9


def define_models(n_input, n_output, n_units):
    encoder_inputs = Input((None, n_input), name="digits")
    encoder = GRU(n_units, return_state=True, return_sequences=True, name="encoder")
    encoder_outputs, encoder_state = encoder(encoder_inputs)
    encoder_states = [encoder_outputs, encoder_state]  # <- cause

    decoder_inputs = Input((None, n_output), name="letters")
    decoder = GRU(n_units, return_sequences=True, return_state=True, name="decoder")
    decoded, _ = decoder(decoder_inputs, initial_state=encoder_states)  # <- cause
    letters = Dense(n_output, activation="softmax")(decoded)
    return keras.Model([encoder_inputs, decoder_inputs], letters)


def pairs(count):
    rng = np.random.default_rng(31)
    digits = keras.utils.to_categorical(rng.integers(0, DIGITS, (count, IN_STEPS)), DIGITS)
    letters = keras.utils.to_categorical(rng.integers(0, LETTERS, (count, OUT_STEPS + 1)), LETTERS)
    return [digits, letters[:, :-1]], letters[:, 1:]


def main():
    model = define_models(DIGITS, LETTERS, UNITS)
    model.compile(optimizer="adam", loss="categorical_crossentropy")
    x, y = pairs(32)
    print("loss", round(model.fit(x, y, verbose=0).history["loss"][0], 3))


if __name__ == "__main__":
    main()
