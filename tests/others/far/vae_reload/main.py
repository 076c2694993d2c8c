import json
import os
import tempfile

import numpy as np

from digit_autoencoder import DigitAutoencoder

RUN_FOLDER = tempfile.mkdtemp(prefix="run_digits_")
PARAMS = {"z_dim": 3, "hidden": [32, 16], "out_dim": 64}


def load_digits(n=120, seed=9):
    rng = np.random.default_rng(seed)
    return rng.random((n, 64)).astype("float32")


def weights_path(folder):
    return os.path.join(folder, "autoencoder.weights.h5")


def save_run(model, params, folder):
    with open(os.path.join(folder, "params.json"), "w") as f:
        json.dump(params, f)
    model.save_weights(weights_path(folder))


def load_model(model_class, folder):
    with open(os.path.join(folder, "params.json")) as f:
        params = json.load(f)
    model = model_class(**params)  # <- cause
    model.load_weights(weights_path(folder))
    return model


def train(x):
    model = DigitAutoencoder(**PARAMS)
    model.compile(optimizer="adam", loss="mse")
    model.fit(x, x, batch_size=30, epochs=2, verbose=2)
    save_run(model, PARAMS, RUN_FOLDER)


def analyse(x):
    model = load_model(DigitAutoencoder, RUN_FOLDER)
    codes = model.encode(x[:10]).numpy()
    error = float(np.mean((model(x).numpy() - x) ** 2))
    print("codes", codes.shape, "reconstruction error %.4f" % error)


if __name__ == "__main__":
    digits = load_digits()
    train(digits)
    analyse(digits)
