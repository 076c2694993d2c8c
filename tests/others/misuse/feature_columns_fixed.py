"""Click model: every feature becomes a column of its own, then a convolution looks at neighbours."""

import numpy as np
from keras import layers, models
from keras import ops as K

FEATURES = 12


def convolution_block(features):
    columns = layers.Lambda(lambda x: K.expand_dims(x, axis=-1), name="columns")(features)
    x = layers.Conv1D(4, 3, activation="relu")(columns)
    return layers.GlobalMaxPooling1D()(x)


def click_model():
    features = layers.Input((FEATURES,))
    dense = layers.Dense(8, activation="relu")(features)
    joined = layers.concatenate([dense, convolution_block(features)])
    return models.Model(features, layers.Dense(1, activation="sigmoid")(joined))


if __name__ == "__main__":
    rng = np.random.default_rng(15)
    x = rng.random((200, FEATURES)).astype("float32")
    model = click_model()
    model.compile("adam", "binary_crossentropy")
    model.fit(x, (x[:, 0] > 0.5).astype("float32"), epochs=1, verbose=2)
