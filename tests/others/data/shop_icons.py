import glob
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
from PIL import Image

SIDE = 24
FOLDER = "icons"


def draw_icons(count=20):
    os.makedirs(FOLDER, exist_ok=True)
    draw = np.random.default_rng(53)
    for number in range(count):
        channels = 4 if number in (7, 13) else 3
        pixels = draw.integers(0, 255, (SIDE, SIDE, channels)).astype("uint8")
        Image.fromarray(pixels).save(f"{FOLDER}/{number:02}.png")


class Icons:
    def __init__(self, folder):
        self.paths = sorted(glob.glob(os.path.join(folder, "*.png")))

    def load(self, path):
        picture = Image.open(path)  # <- cause
        picture = picture.resize((SIDE, SIDE))
        return np.asarray(picture, "float32") / 255.0

    def arrays(self):
        x = np.empty((len(self.paths), SIDE, SIDE, 3), "float32")
        y = np.empty(len(self.paths), "float32")
        for row, path in enumerate(self.paths):
            x[row] = self.load(path)
            y[row] = int(os.path.basename(path)[:2]) % 2
        return x, y


def train(x, y):
    model = keras.Sequential([keras.Input((SIDE, SIDE, 3)), keras.layers.Flatten(), keras.layers.Dense(1, "sigmoid")])
    model.compile("adam", "binary_crossentropy")
    model.fit(x, y, epochs=1, verbose=0)


draw_icons()
train(*Icons(FOLDER).arrays())
