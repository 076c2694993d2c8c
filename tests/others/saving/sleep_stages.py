"""Sleep stages from heart beats: training writes a classifier, serving reads it."""

import pathlib
import tempfile

import keras
import numpy as np

STAGES = ("wake", "light", "deep", "rem")


def build(beats):
    inputs = keras.Input((beats, 2))
    x = keras.layers.GRU(8)(inputs)
    return keras.Model(inputs, keras.layers.Dense(len(STAGES), activation="softmax")(x))


def train(folder, beats=20):
    rng = np.random.default_rng(21)
    x = rng.normal(size=(32, beats, 2)).astype("float32")
    y = rng.integers(0, len(STAGES), 32)
    model = build(beats)
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit(x, y, verbose=0)
    target = folder / "classifier"
    model.export(target, verbose=False)  # <- cause
    return target


def load_classifier(path):
    return keras.models.load_model(path)  # <- cause


def stages(classifier, recording):
    return [STAGES[at] for at in classifier.predict(recording, verbose=0).argmax(axis=1)]


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = train(pathlib.Path(folder))
        classifier = load_classifier(path)
        print(stages(classifier, np.zeros((3, 20, 2), "float32")))


if __name__ == "__main__":
    main()
