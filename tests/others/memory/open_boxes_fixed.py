import os
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import pandas as pd

COLUMNS = ["ImageID", "Source", "LabelName", "XMin", "XMax", "IsOccluded", "IsTruncated", "IsGroupOf"]


def write(path, rows):
    with open(path, "w") as file:
        file.write(",".join(COLUMNS) + "\n")
        for start in range(0, rows, 1000):
            lines = [
                f"{row // 40:016x},verified,/m/{row % 600:06d},0.25,0.5,0,1,0\n" for row in range(start, start + 1000)
            ]
            file.writelines(lines)


def boxes(path):
    kinds = {"ImageID": "category", "Source": "category", "LabelName": "category", "XMin": "float32", "XMax": "float32"}
    flags = {"IsOccluded": "int8", "IsTruncated": "int8", "IsGroupOf": "int8"}
    table = pd.read_csv(path, dtype={**kinds, **flags})
    return table[table.LabelName == "/m/000007"]


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "train-annotations-bbox.csv")
    write(path, 4_000_000)
    found = boxes(path)
    x = np.asarray(found[["XMin", "XMax"]], dtype="float32")
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    model.fit(x, x[:, :1], epochs=1, verbose=2)
