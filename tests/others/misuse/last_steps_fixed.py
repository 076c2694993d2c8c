"""Next character from the last states of several stacked LSTMs, taken by a layer of its own."""
import numpy as np
from tensorflow import keras
from tensorflow.keras.layers import LSTM, Concatenate, Dense, Embedding, Input, Layer
from tensorflow.keras.models import Model

LSTM_LAYER_SIZE = 24
EMBED_SIZE = 16
NUM_LAYERS = 3
MAXLEN = 10
TEXT = "the quick brown fox jumps over the lazy dog and runs back into the dark wood where it came from " * 8


class LastStep(Layer):
    def __init__(self, **kwargs):
        super(LastStep, self).__init__(**kwargs)

    def call(self, x, mask=None):
        return x[:, -1, :]

    def compute_output_shape(self, input_shape):
        return (input_shape[0], input_shape[2])


def windows(text):
    chars = sorted(set(text))
    index = {c: i for i, c in enumerate(chars)}
    ids = np.array([index[c] for c in text])
    x = np.stack([ids[i:i + MAXLEN] for i in range(len(ids) - MAXLEN)])
    return x, ids[MAXLEN:], len(chars)


x, y, vocabulary = windows(TEXT)

print("Build model...")
main_input = Input(shape=(MAXLEN,), dtype="int32", name="main_input")
emb = Embedding(vocabulary, EMBED_SIZE)(main_input)
hs = [LSTM(LSTM_LAYER_SIZE, return_sequences=True)(emb)]
for _ in range(1, NUM_LAYERS):
    hs.append(LSTM(LSTM_LAYER_SIZE, return_sequences=True)(Concatenate()([emb, hs[-1]])))

local_states = Concatenate()([LastStep()(hs_i) for hs_i in hs])
main_loss = Dense(vocabulary, activation="softmax", name="main_output")(local_states)
model = Model(inputs=main_input, outputs=main_loss)
model.compile(optimizer=keras.optimizers.Adam(0.005), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit(x, y, batch_size=64, epochs=2, verbose=2)
