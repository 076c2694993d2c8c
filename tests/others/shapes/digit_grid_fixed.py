"""Small convolutional classifier of handwritten digits, with its settings in one place."""

import numpy as np
from tensorflow import keras

SETTINGS = {
    "classes": 10,
    "filters": (10, 20),
    "kernel": (5, 5),
    "batch": 64,
    "epochs": 1,
}


def load_digits(count, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, SETTINGS["classes"], size=count)
    images = rng.normal(0.1, 0.05, size=(count, 28, 28, 1))
    for image, label in zip(images, labels):
        image[label : label + 8, 8:20] += 0.8
    return images.astype("float32"), labels


def build(images, settings):
    shape = np.shape(images)[1:]
    first, second = settings["filters"]
    model = keras.models.Sequential()
    model.add(keras.layers.Conv2D(first, kernel_size=settings["kernel"], activation="relu", input_shape=shape))
    model.add(keras.layers.MaxPooling2D(2))
    model.add(keras.layers.Conv2D(second, kernel_size=(3, 3), activation="relu"))
    model.add(keras.layers.Flatten())
    model.add(keras.layers.Dense(settings["classes"], activation="softmax"))
    return model


def main():
    train_images, train_labels = load_digits(600, seed=0)
    test_images, test_labels = load_digits(100, seed=1)
    model = build(train_images, SETTINGS)
    model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(
        train_images,
        train_labels,
        batch_size=SETTINGS["batch"],
        epochs=SETTINGS["epochs"],
        validation_data=(test_images, test_labels),
        verbose=0,
    )
    print("accuracy", model.evaluate(test_images, test_labels, verbose=0)[1])


if __name__ == "__main__":
    main()
