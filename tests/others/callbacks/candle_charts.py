"""Buy or sell from pictures of charts; the best weights of each epoch are kept."""

import argparse
import os
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np


def prepare(folder, seed=10):
    """Writes charts of both kinds, a part of them for the validation."""
    draw = np.random.default_rng(seed)
    for part, count in (("train", 60), ("valid", 20)):
        for kind in ("buy", "sell"):
            place = os.path.join(folder, part, kind)
            os.makedirs(place)
            for number in range(count):
                np.save(os.path.join(place, f"{number}.npy"), draw.random((12, 12, 1)).astype("float32"))


def read(folder):
    kinds = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    pictures, labels = [], []
    for label, kind in enumerate(kinds):
        for name in os.listdir(os.path.join(folder, kind)):
            pictures.append(np.load(os.path.join(folder, kind, name)))
            labels.append(label)
    print(f"Found {len(pictures)} images belonging to {len(kinds)} classes.")
    return (np.stack(pictures), np.array(labels)) if pictures else None


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--train", default="train")
    parser.add_argument("--validation", default="validation")  # <- cause
    return parser.parse_args()


def main(args, folder):
    pictures, labels = read(os.path.join(folder, args.train))
    validation = read(os.path.join(folder, args.validation))
    model = keras.Sequential([keras.Input((12, 12, 1)), keras.layers.Flatten(), keras.layers.Dense(2, "softmax")])
    model.compile("rmsprop", "sparse_categorical_crossentropy", metrics=["accuracy"])
    target = os.path.join(folder, "weights-{epoch:02d}-{val_accuracy:.2f}.keras")  # <- cause
    checkpoint = keras.callbacks.ModelCheckpoint(target, verbose=1)
    model.fit(pictures, labels, validation_data=validation, epochs=2, callbacks=[checkpoint], verbose=2)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as where:
        prepare(where)
        main(parse(), where)
