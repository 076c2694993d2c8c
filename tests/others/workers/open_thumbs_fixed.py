import os
import resource
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
from PIL import Image

resource.setrlimit(resource.RLIMIT_NOFILE, (1024, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))

COUNT, SIDE = 1500, 16


def photo_folder(where):
    draw = np.random.default_rng(3)
    for number in range(COUNT):
        Image.fromarray(draw.integers(0, 255, (48, 64, 3), dtype="uint8")).save(os.path.join(where, f"{number:05}.png"))


class Photos:
    """Opens the photos of a folder, smallest first, and gives them as arrays."""

    def __init__(self, where):
        paths = [os.path.join(where, name) for name in sorted(os.listdir(where))]
        self.images = []
        for path in paths:
            with Image.open(path) as image:
                self.images.append(image.copy())
        self.images.sort(key=lambda image: image.size)

    def arrays(self):
        small = [np.asarray(image.resize((SIDE, SIDE)), "float32") / 255 for image in self.images]
        return np.stack(small)


def autoencoder():
    return keras.Sequential(
        [
            keras.Input((SIDE, SIDE, 3)),
            keras.layers.Conv2D(4, 3, strides=2, padding="same", activation="relu"),
            keras.layers.Conv2DTranspose(3, 3, strides=2, padding="same", activation="sigmoid"),
        ]
    )


def main():
    with tempfile.TemporaryDirectory() as where:
        photo_folder(where)
        x = Photos(where).arrays()
    network = autoencoder()
    network.compile("adam", "mse")
    network.fit(x, x, epochs=1, verbose=2)


main()
