"""Somebody trained an encoder-decoder for short replies with a two-way encoder and could not build the sampling
model."""

import numpy as np
from tensorflow.keras.layers import LSTM, Bidirectional, Concatenate, Dense, Input
from tensorflow.keras.models import Model

N_UNITS = 24
SOURCE_TOKENS = 17
REPLY_TOKENS = 13
SOURCE_LENGTH = 9
REPLY_LENGTH = 7


def one_hot_batch(rng, rows, length, tokens):
    numbers = rng.integers(0, tokens, size=(rows, length))
    return np.eye(tokens, dtype="float32")[numbers]


def build_models():
    source = Input(shape=(None, SOURCE_TOKENS), name="source")
    encoder = Bidirectional(LSTM(N_UNITS, return_state=True))
    _, forward_h, forward_c, backward_h, backward_c = encoder(source)
    state_h = Concatenate()([forward_h, backward_h])
    state_c = Concatenate()([forward_c, backward_c])
    encoder_states = [state_h, state_c]

    reply = Input(shape=(None, REPLY_TOKENS), name="reply")
    decoder_lstm = LSTM(2 * N_UNITS, return_sequences=True, return_state=True)
    decoded, _, _ = decoder_lstm(reply, initial_state=encoder_states)
    to_tokens = Dense(REPLY_TOKENS, activation="softmax")
    trainer = Model([source, reply], to_tokens(decoded))

    encoder_model = Model(source, encoder_states)
    state_in_h = Input(shape=(N_UNITS,))  # <- cause
    state_in_c = Input(shape=(N_UNITS,))  # <- cause
    state_inputs = [state_in_h, state_in_c]
    sampled, next_h, next_c = decoder_lstm(reply, initial_state=state_inputs)
    sampler = Model([reply] + state_inputs, [to_tokens(sampled), next_h, next_c])
    return trainer, encoder_model, sampler


def sample(encoder_model, sampler, question):
    states = encoder_model.predict(question, verbose=0)
    token = np.zeros((1, 1, REPLY_TOKENS), dtype="float32")
    token[0, 0, 0] = 1.0
    text = []
    for _ in range(REPLY_LENGTH):
        scores, h, c = sampler.predict([token] + states, verbose=0)
        best = int(np.argmax(scores[0, -1]))
        text.append(best)
        token = np.eye(REPLY_TOKENS, dtype="float32")[[[best]]]
        states = [h, c]
    return text


def main():
    rng = np.random.default_rng(3)
    sources = one_hot_batch(rng, 64, SOURCE_LENGTH, SOURCE_TOKENS)
    replies = one_hot_batch(rng, 64, REPLY_LENGTH, REPLY_TOKENS)
    targets = np.roll(replies, -1, axis=1)
    trainer, encoder_model, sampler = build_models()
    trainer.compile(optimizer="rmsprop", loss="categorical_crossentropy")
    trainer.fit([sources, replies], targets, batch_size=16, epochs=2, verbose=0)
    print("reply:", sample(encoder_model, sampler, sources[:1]))


if __name__ == "__main__":
    main()
