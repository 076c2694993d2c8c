"""Recognise cartoon characters from grayscale thumbnails."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers
from tensorflow.keras.utils import to_categorical

IMG_SIZE = (40, 40)
CHANNELS = 1
CHARACTERS = ["homer", "ned", "moe", "lisa"]


def read_folder(name, count, seed):
    rng = np.random.default_rng(seed)
    base = CHARACTERS.index(name) * 10
    for _ in range(count):
        img = rng.integers(0, 90, IMG_SIZE)
        img[base:base + 8, 5:35] += 120
        yield img.astype("uint8")


def preprocess_from_dir(characters, per_class=30):
    data = []
    for label, name in enumerate(characters):
        for img in read_folder(name, per_class, seed=label):
            data.append([img, label])
    order = np.random.default_rng(0).permutation(len(data))
    return [data[i] for i in order]


def separate_train(train):
    feature_set = [sample[0].reshape(IMG_SIZE + (CHANNELS,)) for sample in train]
    labels = [sample[1] for sample in train]
    return feature_set, labels


def normalize(feature_set):
    return np.array([img / 255.0 for img in feature_set])


def train_val_split(features, labels, val_ratio=0.2):
    cut = int(len(features) * (1 - val_ratio))
    return features[:cut], features[cut:], labels[:cut], labels[cut:]


def create_model(output_dim):
    model = tf.keras.Sequential([
        layers.Input(shape=IMG_SIZE + (CHANNELS,)),
        layers.Conv2D(8, (3, 3), activation="relu"),
        layers.MaxPooling2D((2, 2)),
        layers.Conv2D(16, (3, 3), activation="relu"),
        layers.MaxPooling2D((2, 2)),
        layers.Flatten(),
        layers.Dense(32, activation="relu"),
        layers.Dense(output_dim, activation="softmax"),
    ])
    model.compile(optimizer="adam", loss="categorical_crossentropy", metrics=["accuracy"])
    return model


def main():
    tf.keras.utils.set_random_seed(0)
    train = preprocess_from_dir(CHARACTERS)
    feature_set, labels = separate_train(train)
    feature_set = normalize(feature_set)
    labels = to_categorical(labels, len(CHARACTERS))
    x_train, x_val, y_train, y_val = train_val_split(feature_set, labels)
    print(len(x_train), "training,", len(x_val), "validation images")

    model = create_model(len(CHARACTERS))
    model.fit(x_train, y_train, validation_data=(x_val, y_val),
              batch_size=16, epochs=2, verbose=2)
    print("done")


if __name__ == "__main__":
    main()
