import os
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import pandas as pd

FLAGS = [f"Is{number:02d}" for number in range(40)]
ROWS = 1_200_000


def write(path):
    block = "".join(f"{row % 97 / 97:.4f},{row % 89 / 89:.4f}" + ",0,1" * 20 + "\n" for row in range(10_000))
    with open(path, "w") as file:
        file.write(",".join(["XMin", "XMax", *FLAGS]) + "\n")
        for _ in range(ROWS // 10_000):
            file.write(block)


def boxes(path):
    table = pd.read_csv(path)  # <- cause
    return table[table.XMin < 0.5]


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "train-annotations-bbox.csv")
    write(path)
    found = boxes(path)
    x = np.asarray(found[["XMin", "XMax"]], dtype="float32")[:5000]
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    model.fit(x, x[:, :1], epochs=1, verbose=2)
