"""Somebody trained a matting net and cannot load its weights to try it on pictures."""

import os

import train
from config import WEIGHTS
from data import composites
from model import build_encoder_decoder  # <- cause


def mean_error(model, pictures, alphas):
    predicted = model.predict(pictures, verbose=0)
    return float(abs(predicted - alphas).mean())


def main():
    if not os.path.exists(WEIGHTS):
        train.main()
    model = build_encoder_decoder()  # <- cause
    model.load_weights(WEIGHTS)
    print("mean error", round(mean_error(model, *composites(8, seed=2)), 3))


if __name__ == "__main__":
    main()
