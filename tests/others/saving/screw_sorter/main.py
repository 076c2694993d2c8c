"""
python main.py            trains when there is no model file yet, then sorts a tray
"""
import os
import tempfile
import numpy as np
import keras
from keras.models import load_model

import data
import net

keras.utils.set_random_seed(1)
MODEL_FILE = os.path.join(tempfile.mkdtemp(prefix="screws_"), "model.keras")


def train():
    x, y = data.load(500, seed=0)
    xv, yv = data.load(100, seed=1)
    print("train", x.shape, y.shape, "valid", xv.shape)
    m = net.build(data.SIDE, len(data.HEADS))
    m.fit(x, y, epochs=4, batch_size=32, validation_data=(xv, yv), verbose=2)
    m.save(MODEL_FILE)
    print("saved", os.path.getsize(MODEL_FILE) // 1024, "kB")


class Sorter:
    def __init__(self, path):
        self.path = path
        self.model = load_model(path)  # <- cause
        self.bins = {h: 0 for h in data.HEADS}

    def sort(self, pictures):
        probs = self.model.predict(pictures, verbose=0)
        for row in probs:
            self.bins[data.HEADS[int(np.argmax(row))]] += 1
        return probs

    def check(self, pictures, truth):
        return self.model.evaluate(pictures, truth, return_dict=True, verbose=0)


if __name__ == "__main__":
    if not os.path.exists(MODEL_FILE):
        train()
    sorter = Sorter(MODEL_FILE)
    tray, truth = data.load(60, seed=9)
    sorter.sort(tray)
    print("bins", sorter.bins)
    print("check", {k: round(v, 3) for k, v in sorter.check(tray, truth).items()})
