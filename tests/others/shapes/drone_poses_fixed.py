"""The pose of a drone from pairs of pictures: a CNN for each picture, an LSTM over the pairs."""

import numpy as np
from tensorflow.keras.layers import LSTM, Conv2D, Dense, Flatten, Input, TimeDistributed
from tensorflow.keras.models import Sequential

TIME, HEIGHT, WIDTH, POSE = 2, 24, 32, 7


def add_cnn(model):
    for filters, kernel in ((8, 7), (8, 5), (16, 3)):
        model.add(TimeDistributed(Conv2D(filters, kernel, strides=2, padding="same", activation="relu")))


def pose_model():
    model = Sequential()
    model.add(Input((TIME, HEIGHT, WIDTH, 1)))
    add_cnn(model)
    model.add(TimeDistributed(Flatten()))
    model.add(LSTM(24, return_sequences=True))
    model.add(LSTM(24, return_sequences=True))
    model.add(Dense(POSE))
    return model


def flights(count):
    rng = np.random.default_rng(2)
    return rng.random((count, TIME, HEIGHT, WIDTH, 1)).astype("float32"), rng.normal(size=(count, TIME, POSE))


def main():
    model = pose_model()
    model.compile(loss="mse", optimizer="adam")
    pictures, poses = flights(12)
    history = model.fit(pictures, poses, batch_size=4, epochs=1, verbose=0)
    print("loss", round(history.history["loss"][0], 3), "of", Flatten.__name__, "ends")


if __name__ == "__main__":
    main()
