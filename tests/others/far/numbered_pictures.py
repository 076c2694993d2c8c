import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import pandas as pd

SUFFIX = ".npy"


def write_data(folder):
    os.makedirs(folder, exist_ok=True)
    draw = np.random.default_rng(55)
    with open("labels.csv", "w") as file:
        file.write("image,label\n")
        for number in range(30):
            np.save(os.path.join(folder, f"{number}{SUFFIX}"), draw.normal(0, 1, 16))
            file.write(f"{number},{number % 2}\n")


def images_from_csv(path, image_column, label_column, suffix=""):
    table = pd.read_csv(path)  # <- cause
    if suffix:
        table[image_column] = table[image_column] + suffix  # <- cause
    return table[image_column].tolist(), table[label_column].to_numpy("float32")


def load(folder, names):
    return np.stack([np.load(os.path.join(folder, name)) for name in names])


def main():
    write_data("pictures")
    names, labels = images_from_csv("labels.csv", "image", "label", suffix=SUFFIX)
    x = load("pictures", names)
    model = keras.Sequential([keras.Input((16,)), keras.layers.Dense(1, activation="sigmoid")])
    model.compile("adam", "binary_crossentropy")
    model.fit(x, labels, epochs=1, verbose=0)


main()
