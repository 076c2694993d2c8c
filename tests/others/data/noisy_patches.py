import argparse
import glob
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
from PIL import Image

PATCH = 8


def write_pictures(folder):
    os.makedirs(folder, exist_ok=True)
    draw = np.random.default_rng(63)
    for number in range(4):
        Image.fromarray(draw.integers(0, 255, (24, 24)).astype("uint8")).save(f"{folder}/{number}.png")


def gen_patches(path):
    picture = np.asarray(Image.open(path).convert("L"))
    steps = range(0, 24 - PATCH + 1, PATCH)
    return [picture[top : top + PATCH, left : left + PATCH] for top in steps for left in steps]


def datagenerator(data_dir):
    file_list = sorted(glob.glob(data_dir + "/*.png"))
    data = []
    for path in file_list:
        data.append(gen_patches(path))
    data = np.array(data)
    data = data.reshape((data.shape[0] * data.shape[1], data.shape[2], data.shape[3], 1))
    print("training data:", data.shape)
    return data


def network():
    model = keras.Sequential([keras.Input((PATCH, PATCH, 1)), keras.layers.Conv2D(4, 3, padding="same")])
    model.add(keras.layers.Conv2D(1, 3, padding="same"))
    model.compile("adam", "mse")
    return model


parser = argparse.ArgumentParser()
parser.add_argument("--train_data", default="data/Train400")  # <- cause
args = parser.parse_args()
write_pictures("data/train")
clean = datagenerator(args.train_data).astype("float32") / 255.0
network().fit(clean + 0.1, clean, epochs=1, verbose=0)
