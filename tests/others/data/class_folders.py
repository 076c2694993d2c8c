import os
import shutil

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

ROOT = "birds"


def make_folder():
    shutil.rmtree(ROOT, ignore_errors=True)
    draw = np.random.default_rng(54)
    for name in ("crow", "heron", "wren"):
        os.makedirs(os.path.join(ROOT, name))
        for number in range(8):
            np.save(os.path.join(ROOT, name, f"{number}.npy"), draw.normal(len(name), 1, (10, 10)))
    with open(os.path.join(ROOT, ".DS_Store"), "wb") as file:
        file.write(b"Bud1")


def find_classes(root):
    names = sorted(os.listdir(root))  # <- cause
    return {name: number for number, name in enumerate(names)}


def read_folder(root, classes):
    x, y = [], []
    for name, number in classes.items():
        for file in sorted(os.listdir(os.path.join(root, name))):
            x.append(np.load(os.path.join(root, name, file)))
            y.append(number)
    return np.stack(x), np.array(y)


def network(classes):
    model = keras.Sequential([keras.Input((10, 10)), keras.layers.Flatten(), keras.layers.Dense(classes, "softmax")])
    model.compile("adam", "sparse_categorical_crossentropy")
    return model


make_folder()
classes = find_classes(ROOT)
x, y = read_folder(ROOT, classes)
network(len(classes)).fit(x, y, epochs=1, verbose=0)
