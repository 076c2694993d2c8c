"""Trains an autoencoder, stores its two parts, and rebuilds pictures with fresh parts from the files."""
import os
import tempfile

import numpy as np
from tensorflow.keras import Input, Model

from parts import SIDE, build_decoder, build_encoder


def pictures(count=160):
    rng = np.random.default_rng(3)
    out = np.zeros((count, SIDE, SIDE, 1), "float32")
    for i in range(count):
        x, y = rng.integers(0, SIDE - 6, 2)
        out[i, y:y + 6, x:x + 6] = 1.0
    return out


def train(folder):
    encoder, decoder = build_encoder(), build_decoder()
    inputs = Input((SIDE, SIDE, 1))
    autoencoder = Model(inputs, decoder(encoder(inputs)))
    autoencoder.compile("adam", "binary_crossentropy")
    data = pictures()
    autoencoder.fit(data, data, epochs=3, batch_size=16, verbose=2)
    encoder.save_weights(os.path.join(folder, "vae_encoder.weights.h5"))
    decoder.save_weights(os.path.join(folder, "vae_decoder.weights.h5"))


class Reconstructor:
    def __init__(self, folder):
        self.encoder = build_encoder()
        self.decoder = build_decoder()
        encoder_weights = os.path.join(folder, "vae_encoder.weights.h5")
        decoder_weights = os.path.join(folder, "vae_decoder.weights.h5")
        self.encoder.load_weights(encoder_weights)
        self.decoder.load_weights(decoder_weights)

    def __call__(self, batch):
        return self.decoder.predict(self.encoder.predict(batch, verbose=0), verbose=0)


if __name__ == "__main__":
    workspace = tempfile.mkdtemp()
    train(workspace)
    rebuilt = Reconstructor(workspace)(pictures(8))
    print("rebuilt", rebuilt.shape, "mean %.3f" % rebuilt.mean())
