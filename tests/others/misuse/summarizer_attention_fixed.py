import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf

x_words, y_words = 50, 30
text_len, head_len = 12, 6
hidden, emb_dim = 16, 10


class HeadlineWriter:
    def __init__(self, x_words, y_words):
        self.x_words = x_words
        self.y_words = y_words

    def encoder(self):
        tokens = tf.keras.Input(shape=(text_len,), dtype="int32", name="text")
        emb = tf.keras.layers.Embedding(self.x_words, emb_dim)(tokens)
        lstm = tf.keras.layers.LSTM(hidden, return_sequences=True, return_state=True)
        sequence, h, c = lstm(emb)
        return tokens, sequence, [h, c]

    def decoder(self, memory, states):
        tokens = tf.keras.Input(shape=(head_len,), dtype="int32", name="headline_in")
        emb = tf.keras.layers.Embedding(self.y_words, emb_dim)(tokens)
        lstm = tf.keras.layers.LSTM(hidden, return_sequences=True, return_state=True)
        sequence, h, c = lstm(emb, initial_state=states)
        context = tf.keras.layers.Attention(name="attn")([sequence, memory])
        joined = tf.keras.layers.Concatenate(axis=-1)([sequence, context])
        out = tf.keras.layers.Dense(self.y_words, activation="softmax")(joined)
        return tokens, out

    def build(self):
        text, memory, states = self.encoder()
        headline, out = self.decoder(memory, states)
        model = tf.keras.Model([text, headline], out)
        model.compile(optimizer="rmsprop", loss="sparse_categorical_crossentropy")
        return model


def fake_corpus(count):
    rng = np.random.default_rng(17)
    text = rng.integers(1, x_words, size=(count, text_len))
    headline = rng.integers(2, y_words, size=(count, head_len))
    shifted = np.concatenate([np.ones((count, 1), dtype=int), headline[:, :-1]], axis=1)
    return text, shifted, headline


text, headline_in, headline_out = fake_corpus(64)
print("texts", text.shape, "headlines", headline_out.shape)

model = HeadlineWriter(x_words, y_words).build()
history = model.fit([text, headline_in], headline_out, epochs=1, batch_size=16, verbose=0)
print("loss", round(history.history["loss"][-1], 3))
sample = model.predict([text[:2], headline_in[:2]], verbose=0).argmax(-1)
print("guesses", sample.tolist())
