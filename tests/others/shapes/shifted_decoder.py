"""A copy task: an encoder and a decoder that is asked for one token after another."""

import numpy as np
from tensorflow import keras
from tensorflow.keras.layers import LSTM, Dense, Embedding, Input
from tensorflow.keras.utils import to_categorical

TOKENS, WIDTH, UNITS, STEPS = 5, 6, 12, 3


def define_models():
    embedding = Embedding(TOKENS, WIDTH, name="embedding")
    encoder_inputs = Input((STEPS,), name="encoder_input")
    _, h, c = LSTM(UNITS, return_state=True, name="encoder")(embedding(encoder_inputs))
    decoder_inputs = Input((None,), name="decoder_input")
    decoder = LSTM(UNITS, return_sequences=True, return_state=True, name="decoder")
    decoded, _, _ = decoder(embedding(decoder_inputs), initial_state=[h, c])
    dense = Dense(TOKENS, activation="softmax", name="tokens")
    training = keras.Model([encoder_inputs, decoder_inputs], dense(decoded))
    states = [Input((UNITS,)), Input((UNITS,))]
    stepped, *after = decoder(embedding(decoder_inputs), initial_state=states)
    return training, keras.Model(encoder_inputs, [h, c]), keras.Model([decoder_inputs, *states], [dense(stepped), *after])


def predict(encoder, decoder, source):
    states = encoder.predict(source, verbose=0)
    token, found = 0, []
    for _ in range(STEPS):
        before = to_categorical([[token]], TOKENS)  # <- cause
        scores, *states = decoder.predict([before, *states], verbose=0)
        token = int(scores[0, -1].argmax())
        found.append(token)
    return found


def main():
    rng = np.random.default_rng(23)
    source = rng.integers(1, TOKENS, (32, STEPS))
    shifted = np.concatenate([np.zeros((32, 1), int), source[:, :-1]], axis=1)
    training, encoder, decoder = define_models()
    training.compile("adam", "categorical_crossentropy")
    training.fit([source, shifted], to_categorical(source, TOKENS), epochs=1, verbose=0)
    print("copied", predict(encoder, decoder, source[:1]))


if __name__ == "__main__":
    main()
