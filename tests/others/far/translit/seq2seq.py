from tensorflow import keras
from tensorflow.keras import layers

import pairs


class Transliterator:
    def __init__(self, units=16, emb=8):
        self.units = units
        self.src = keras.Input((None,), dtype="int32", name="src")
        self.tgt = keras.Input((None,), dtype="int32", name="tgt")

        enc = layers.Bidirectional(layers.LSTM(units, return_state=True))
        x = layers.Embedding(pairs.SOURCE, emb)(self.src)
        _, fh, fc, bh, bc = enc(x)
        self.state = [layers.concatenate([fh, bh]), layers.concatenate([fc, bc])]

        self.embed = layers.Embedding(pairs.TARGET, emb)
        self.cell = layers.LSTM(2 * units, return_sequences=True, return_state=True)
        self.read = layers.Dense(pairs.TARGET, activation="softmax")
        y, _, _ = self.cell(self.embed(self.tgt), initial_state=self.state)
        self.model = keras.Model([self.src, self.tgt], self.read(y))
        self.model.compile("adam", "sparse_categorical_crossentropy")

    def inference(self):
        encoder = keras.Model(self.src, self.state)
        h = keras.Input((self.units,), name="h")  # <- cause
        c = keras.Input((self.units,), name="c")  # <- cause
        y, h2, c2 = self.cell(self.embed(self.tgt), initial_state=[h, c])
        decoder = keras.Model([self.tgt, h, c], [self.read(y), h2, c2])
        return encoder, decoder
