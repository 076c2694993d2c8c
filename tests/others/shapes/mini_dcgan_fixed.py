import numpy as np
from tensorflow.keras import Sequential, Input
from tensorflow.keras.layers import (Conv2D, Dense, Flatten, LeakyReLU, Reshape, UpSampling2D)
from tensorflow.keras.optimizers import SGD

BATCH_SIZE = 16
NOISE = 50
SIDE = 14


def generator_model():
    return Sequential([
        Input(shape=(NOISE,)),
        Dense(7 * 7 * 8, activation="tanh"),
        Reshape((7, 7, 8)),
        UpSampling2D(size=(2, 2)),
        Conv2D(1, 5, padding="same", activation="tanh"),
    ])


def discriminator_model():
    return Sequential([
        Input(shape=(SIDE, SIDE, 1)),
        Conv2D(8, 5, strides=2, padding="same"),
        LeakyReLU(),
        Flatten(),
        Dense(1, activation="sigmoid"),
    ])


def load_images(n=64):
    rng = np.random.default_rng(17)
    imgs = np.zeros((n, SIDE, SIDE, 1), dtype="float32")
    for im in imgs:
        r, c = rng.integers(2, 10, size=2)
        im[r:r + 3, c:c + 3] = 1.0
    return imgs * 2.0 - 1.0


def train(epochs=2):
    images = load_images()
    g = generator_model()
    d = discriminator_model()
    d.compile(loss="binary_crossentropy", optimizer=SGD(0.0005, momentum=0.9))

    d_on_g = Sequential([Input(shape=(NOISE,)), g, d])
    d.trainable = False
    d_on_g.compile(loss="binary_crossentropy", optimizer=SGD(0.0005, momentum=0.9))
    d.trainable = True

    for epoch in range(epochs):
        for index in range(len(images) // BATCH_SIZE):
            noise = np.random.uniform(-1, 1, size=(BATCH_SIZE, NOISE))
            real = images[index * BATCH_SIZE:(index + 1) * BATCH_SIZE]
            fake = g.predict(noise, verbose=0)
            X = np.concatenate((real, fake))
            y = np.concatenate((np.ones(BATCH_SIZE), np.zeros(BATCH_SIZE)))
            d_loss = d.train_on_batch(X, y)

            noise = np.random.uniform(-1, 1, size=(BATCH_SIZE, NOISE))
            g_loss = d_on_g.train_on_batch(noise, np.array([1] * BATCH_SIZE))
            print("epoch %d batch %d d_loss %.4f g_loss %.4f" % (epoch, index, d_loss, g_loss))


if __name__ == "__main__":
    train()
