"""Actions in short clips: three-dimensional convolutions over frames, height and width."""

import numpy as np
from tensorflow.keras import Sequential
from tensorflow.keras.layers import Conv3D, Dense, Dropout, Flatten, Input, MaxPooling3D

CHANNELS, FRAMES, SIDE, ACTIONS = 3, 16, 32, 5
INPUT_SHAPE = (FRAMES, SIDE, SIDE, CHANNELS)
POOLS = [((1, 2, 2), "pool1"), ((2, 2, 2), "pool2"), ((2, 2, 2), "pool3"), ((2, 2, 2), "pool4")]


def get_model(filters=(4, 8, 8, 16)):
    model = Sequential(name="c3d")
    model.add(Input(INPUT_SHAPE))
    for count, (pool, name) in zip(filters, POOLS):
        model.add(Conv3D(count, 3, padding="same", activation="relu", name="conv" + name[-1]))
        model.add(MaxPooling3D(pool_size=pool, strides=pool, padding="valid", name=name))
    model.add(Flatten())
    model.add(Dense(32, activation="relu"))
    model.add(Dropout(0.5))
    model.add(Dense(ACTIONS, activation="softmax"))
    return model


def clips(count):
    rng = np.random.default_rng(7)
    return rng.random((count, FRAMES, SIDE, SIDE, CHANNELS)).astype("float32"), rng.integers(0, ACTIONS, count)


def main():
    model = get_model()
    model.compile(optimizer="sgd", loss="sparse_categorical_crossentropy")
    videos, actions = clips(6)
    model.fit(videos, actions, batch_size=2, epochs=1, verbose=0)
    print("actions", model.predict(videos, verbose=0).argmax(axis=1))


if __name__ == "__main__":
    main()
