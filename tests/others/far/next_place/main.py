"""Predict the next place that a person checks in at."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

from checkins import WINDOW, batch_stream, make_histories

N_PEOPLE = 12
N_PLACES = 30
BATCH = 16


def build_model():
    recent = keras.Input(shape=(WINDOW,), dtype="int32", name="recent")
    person = keras.Input(shape=(1,), dtype="int32", name="person")
    gaps = keras.Input(shape=(WINDOW,), name="gaps")

    path = layers.Embedding(N_PLACES, 8, name="place_vec")(recent)
    path = layers.GRU(12, name="path")(path)
    who = layers.Flatten()(layers.Embedding(N_PEOPLE, 4, name="person_vec")(person))
    pace = layers.Dense(4, activation="relu", name="pace")(gaps)

    merged = layers.Concatenate()([path, who, pace])
    place = layers.Dense(N_PLACES, activation="softmax", name="place")(merged)
    model = keras.Model([recent, person, gaps], place)
    model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")
    return model


def main():
    tf.random.set_seed(2)
    histories = make_histories(N_PEOPLE, N_PLACES, visits=40, seed=2)
    stream = batch_stream(histories, BATCH, seed=2)
    model = build_model()
    history = model.fit(stream, steps_per_epoch=10, epochs=2, verbose=0)
    for number, loss in enumerate(history.history["loss"], start=1):
        print(f"epoch {number}: loss {loss:.3f}")


if __name__ == "__main__":
    main()
