"""Two encoders, one for photos and one for words, are put into a Sequential behind a concatenate() of the models."""

import numpy as np
from tensorflow.keras import losses
from tensorflow.keras.layers import Conv2D, Dense, Dropout, Embedding, Flatten, GlobalAveragePooling1D, Input
from tensorflow.keras.layers import concatenate
from tensorflow.keras.models import Model, Sequential

WORDS = 200
LENGTH = 12


def build_img_model():
    return Sequential(
        [
            Input(shape=(24, 24, 1)),
            Conv2D(8, 3, strides=2, activation="relu"),
            Flatten(),
            Dense(32, activation="relu"),
        ],
        name="photos",
    )


def build_word_model():
    return Sequential(
        [Input(shape=(LENGTH,)), Embedding(WORDS, 16), GlobalAveragePooling1D(), Dense(32, activation="relu")],
        name="words",
    )


def merged_model():
    img_encoder = build_img_model()
    wrd_encoder = build_word_model()
    x = concatenate([img_encoder.outputs[0], wrd_encoder.outputs[0]], axis=1)
    x = Dense(32, activation="relu", name="joint")(x)
    x = Dropout(0.2)(x)
    model = Model([img_encoder.inputs[0], wrd_encoder.inputs[0]], Dense(2, activation="sigmoid")(x))
    model.compile(optimizer="Adam", loss=losses.binary_crossentropy, metrics=["accuracy"])
    return model


rng = np.random.default_rng(6)
photos = rng.random((64, 24, 24, 1), dtype="float32")
captions = rng.integers(0, WORDS, size=(64, LENGTH))
fits = np.eye(2, dtype="float32")[rng.integers(0, 2, 64)]
matcher = merged_model()
matcher.fit([photos, captions], fits, epochs=1, batch_size=16, verbose=0)
print("scores", matcher.predict([photos[:2], captions[:2]], verbose=0).round(2).tolist())
