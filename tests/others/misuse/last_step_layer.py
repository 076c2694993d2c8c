import numpy as np
from tensorflow.keras.layers import LSTM, Dense, Embedding, Input, Layer, concatenate
from tensorflow.keras.models import Model

MAXLEN = 10
VOCAB = 257
EMBED_SIZE = 16
LSTM_SIZE = 16
NUM_LAYERS = 3


class LastStep(Layer):
    def __init__(self, **kwargs):
        super(Layer, self).__init__(**kwargs)  # <- cause

    def call(self, x, mask=None):
        return x[:, -1, :]

    def compute_output_shape(self, input_shape):
        return (input_shape[0], input_shape[2])


def byte_sequences(n, seed=5):
    rng = np.random.default_rng(seed)
    seqs = rng.integers(1, VOCAB, size=(n, MAXLEN)).astype("int32")
    target = (seqs.sum(axis=1) % 2).astype("float32")
    return seqs, target


def build_model():
    print("Build model...")
    main_input = Input(shape=(MAXLEN,), dtype="int32", name="main_input")
    emb = Embedding(VOCAB, EMBED_SIZE)(main_input)

    hidden = [LSTM(LSTM_SIZE, return_sequences=True)(emb)]
    for level in range(1, NUM_LAYERS):
        below = concatenate([emb, hidden[level - 1]])
        hidden.append(LSTM(LSTM_SIZE, return_sequences=True)(below))

    last = [LastStep()(h) for h in hidden]
    merged = concatenate(last)
    out = Dense(1, activation="sigmoid", name="parity")(merged)
    return Model(inputs=main_input, outputs=out)


if __name__ == "__main__":
    x, y = byte_sequences(64)
    model = build_model()
    model.compile(loss="binary_crossentropy", optimizer="rmsprop", metrics=["accuracy"])
    model.fit(x, y, batch_size=16, epochs=1, verbose=2)
    print(model.predict(x[:3], verbose=0).ravel())
