import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

NUM_CLASSES = 10
IMG_ROWS, IMG_COLS = 28, 28


def load_digits(n_train=160, n_test=40, seed=3):
    rng = np.random.default_rng(seed)
    images = rng.integers(0, 256, size=(n_train + n_test, IMG_ROWS, IMG_COLS)).astype("uint8")
    labels = rng.integers(0, NUM_CLASSES, size=n_train + n_test)
    for img, lab in zip(images, labels):
        img[lab * 2:lab * 2 + 4, 4:24] = 255
    return (images[:n_train], labels[:n_train]), (images[n_train:], labels[n_train:])


def preprocess(images):
    images = images.astype("float32") / 255.0
    return images.reshape(images.shape[0], IMG_ROWS, IMG_COLS, 1)


def build_cnn(input_shape):
    model = keras.Sequential()
    model.add(keras.Input(shape=input_shape))
    model.add(layers.Conv2D(16, (3, 3), activation="relu"))
    model.add(layers.MaxPooling2D((2, 2)))
    model.add(layers.Conv2D(32, (3, 3), activation="relu"))
    model.add(layers.MaxPooling2D((2, 2)))
    model.add(layers.Flatten())
    model.add(layers.Dense(32, activation="relu"))
    model.add(layers.Dense(NUM_CLASSES, activation="softmax"))
    return model


def main():
    (x_train, y_train), (x_test, y_test) = load_digits()
    x_train = preprocess(x_train)
    x_test = preprocess(x_test)
    print("train:", x_train.shape, "test:", x_test.shape)

    y_train = keras.utils.to_categorical(y_train, NUM_CLASSES)
    y_test = keras.utils.to_categorical(y_test, NUM_CLASSES)

    model = build_cnn(x_train.shape[1:])
    model.compile(loss="categorical_crossentropy", optimizer="adam", metrics=["accuracy"])
    model.fit(x_train, y_train, batch_size=32, epochs=2, validation_split=0.1, verbose=2)
    score = model.evaluate(x_test, y_test, verbose=0)
    print("test accuracy:", score[1])


if __name__ == "__main__":
    main()
