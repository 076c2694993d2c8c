"""Goes on training a pretrained network with grey pictures of cells."""

import os
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
from network import INPUT_CHANNELS, SIDE, unet


def publish_pretrained(path):
    """Stands for the download: weights of a network that was trained with colour pictures."""
    unet(channels=3).save_weights(path)


def cells(count, seed=4):
    draw = np.random.default_rng(seed)
    grey = draw.random((count, SIDE, SIDE, 1)).astype("float32")
    pictures = np.repeat(grey, INPUT_CHANNELS, axis=-1)
    return pictures, (grey > 0.7).astype("float32")


def main():
    with tempfile.TemporaryDirectory() as where:
        path = os.path.join(where, "pretrained.weights.h5")
        publish_pretrained(path)
        model = unet()
        model.load_weights(path)
        model.compile("adam", "binary_crossentropy")
        pictures, masks = cells(32)
        model.fit(pictures, masks, batch_size=8, epochs=1, verbose=2)


if __name__ == "__main__":
    main()
