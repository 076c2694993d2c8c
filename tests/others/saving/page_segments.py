"""Text and picture segmentation of pages: a processor that works in the workspace of its documents."""

import atexit
import os
import shutil
import tempfile

import keras
import numpy as np

PARAMETERS = {"seg_weights": "models/seg_model.weights.h5", "side": 12}


def network(side):
    page = keras.Input((side, side, 1))
    x = keras.layers.Conv2D(4, 3, padding="same", activation="relu")(page)
    return keras.Model(page, keras.layers.Conv2D(2, 1, activation="softmax")(x))


def install_model(root):
    os.makedirs(os.path.join(root, "models"), exist_ok=True)
    network(PARAMETERS["side"]).save_weights(os.path.join(root, PARAMETERS["seg_weights"]))


class Processor:
    def __init__(self, parameters, workspace):
        self.parameters = parameters
        self.workspace = workspace
        os.chdir(workspace)  # <- cause

    def process(self, pages):
        model = network(self.parameters["side"])
        model.load_weights(self.parameters["seg_weights"])  # <- cause
        for number, page in enumerate(pages):
            masks = model.predict(page[None], verbose=0)
            np.save(f"page_{number}.npy", masks[0].argmax(-1))
        return sorted(os.listdir("."))


def main():
    root = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, root)
    os.chdir(root)
    install_model(root)
    os.makedirs("workspace")
    pages = np.random.default_rng(0).random((2, PARAMETERS["side"], PARAMETERS["side"], 1))
    print(Processor(PARAMETERS, "workspace").process(pages))


if __name__ == "__main__":
    main()
