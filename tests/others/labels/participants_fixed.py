import os
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

PARTICIPANTS = 12


def record_sessions(folder, seed=2):
    """A folder per participant with a few recordings."""
    draw = np.random.default_rng(seed)
    for number in range(PARTICIPANTS):
        place = os.path.join(folder, f"Participant{number + 1}")
        os.makedirs(place)
        for take in range(6):
            np.save(os.path.join(place, f"{take}.npy"), draw.normal(number, 1, 32).astype("float32"))


def load_data(folder):
    samples, labels = [], []
    for name in sorted(os.listdir(folder)):
        for file in sorted(os.listdir(os.path.join(folder, name))):
            samples.append(np.load(os.path.join(folder, name, file)))
            labels.append(name)
    return np.stack(samples), np.array(labels)


def train(folder):
    samples, labels = load_data(folder)
    names, numbers = np.unique(labels, return_inverse=True)
    targets = keras.utils.to_categorical(numbers, PARTICIPANTS)
    model = keras.Sequential([keras.Input((32,)), keras.layers.Dense(64, activation="relu")])
    model.add(keras.layers.Dense(PARTICIPANTS, activation="softmax", name="prediction"))
    model.compile("adam", "categorical_crossentropy", metrics=["accuracy"])
    model.fit(samples, targets, epochs=1, verbose=2)


with tempfile.TemporaryDirectory() as where:
    record_sessions(where)
    train(where)
