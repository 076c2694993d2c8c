"""Mark every frame of a recording as silence or speech."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

FRAMES = 20
BANDS = 6
CLASSES = ("silence", "speech")


def make_recordings(count, rng):
    """Energy in a few frequency bands; speech frames are rare and louder."""
    speech = (rng.random((count, FRAMES)) < 0.15).astype(int)
    bands = rng.normal(size=(count, FRAMES, BANDS)) + 1.5 * speech[..., None]
    return bands.astype("float32"), speech


def encode(speech):
    one_hot = np.zeros(speech.shape + (len(CLASSES),), dtype="float32")
    for index in range(len(CLASSES)):
        one_hot[..., index] = speech == index
    return one_hot


def build_tagger():
    inputs = keras.Input(shape=(FRAMES, BANDS))
    x = layers.Conv1D(12, 3, padding="same", activation="relu")(inputs)
    x = layers.Dense(len(CLASSES))(x)
    outputs = layers.Activation("softmax")(x)
    model = keras.Model(inputs, outputs, name="tagger")
    model.compile(
        loss="sparse_categorical_crossentropy", optimizer="rmsprop", metrics=["accuracy"]  # <- cause
    )
    return model


def main():
    keras.utils.set_random_seed(31)
    rng = np.random.default_rng(31)
    bands, speech = make_recordings(80, rng)
    targets = encode(speech)  # <- cause
    print("speech share:", round(float(speech.mean()), 3))

    tagger = build_tagger()
    history = tagger.fit(bands, targets, epochs=3, batch_size=16, verbose=0)
    for epoch, loss in enumerate(history.history["loss"], start=1):
        print(f"epoch {epoch}: {loss:.3f}")

    tags = tagger.predict(bands[:1], verbose=0).argmax(axis=-1)[0]
    print("".join("#" if tag else "." for tag in tags))


if __name__ == "__main__":
    main()
