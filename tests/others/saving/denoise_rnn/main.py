import os

import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

from rnn_parts import WeightClip, mycost, msse

FRAMES = 16
BANDS = 22


def synth(n=96):
    rng = np.random.default_rng(8)
    feats = rng.normal(size=(n, FRAMES, BANDS)).astype("float32")
    gains = 1.0 / (1.0 + np.exp(-feats))
    return feats, gains.astype("float32")


def build():
    reg = WeightClip(0.499)
    inp = keras.Input(shape=(FRAMES, BANDS), name="main_input")
    x = layers.Dense(24, activation="tanh", kernel_constraint=reg, bias_constraint=reg)(inp)
    x = layers.GRU(24, return_sequences=True, kernel_constraint=reg,
                   recurrent_constraint=reg, bias_constraint=reg)(x)
    out = layers.Dense(BANDS, activation="sigmoid", kernel_constraint=reg,
                       bias_constraint=reg, name="denoise_output")(x)
    model = keras.Model(inp, out)
    model.compile(loss=mycost, metrics=[msse], optimizer="adam")
    return model


def train(path):
    feats, gains = synth()
    model = build()
    model.fit(feats, gains, batch_size=32, epochs=2, validation_split=0.1, verbose=2)
    model.save(path)
    return feats


def run_saved(path, feats):
    model = keras.models.load_model(
        path, custom_objects={"WeightClip": WeightClip, "mycost": mycost, "msse": msse})
    gains = model.predict(feats[:4], verbose=0)
    print("mean gain", float(gains.mean()))


if __name__ == "__main__":
    os.makedirs("weights", exist_ok=True)
    target = os.path.join("weights", "newweights.keras")
    feats = train(target)
    run_saved(target, feats)
