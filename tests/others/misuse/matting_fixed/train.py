"""Trains the matting net and writes its weights."""

from config import WEIGHTS
from data import composites
from segnet import build_encoder_decoder


def main():
    pictures, alphas = composites(32, seed=1)
    model = build_encoder_decoder()
    model.compile(optimizer="nadam", loss="mae")
    model.fit(pictures, alphas, batch_size=8, epochs=1, verbose=0)
    model.save_weights(WEIGHTS)
    print("weights written")


if __name__ == "__main__":
    main()
