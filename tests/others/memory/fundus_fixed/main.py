from tensorflow import keras

from source import TILE, stream

N_TILES = 3200
BATCH = 8


def classifier():
    inp = keras.Input((TILE, TILE, 3))
    h = keras.layers.Conv2D(8, 5, strides=4, activation="relu")(inp)
    h = keras.layers.Conv2D(16, 3, strides=2, activation="relu")(h)
    h = keras.layers.GlobalAveragePooling2D()(h)
    return keras.Model(inp, keras.layers.Dense(1, activation="sigmoid")(h))


if __name__ == "__main__":
    net = classifier()
    net.compile(optimizer=keras.optimizers.Adam(1e-3), loss="binary_crossentropy",
                metrics=["accuracy"])
    net.fit(stream(N_TILES, BATCH), steps_per_epoch=20, epochs=2, verbose=2)
    print("done")
