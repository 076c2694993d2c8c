"""A picture branch and a table branch are to be joined, and Concatenate is called with the two tensors one by one."""

import numpy as np
from tensorflow.keras import Input, Model
from tensorflow.keras.layers import Concatenate, Conv2D, Dense, Dropout, Flatten, MaxPooling2D

PICTURE = (32, 32, 3)
TABLE_COLUMNS = 5


def picture_branch():
    picture = Input(shape=PICTURE, name="picture")
    x = picture
    for filters in (8, 16):
        x = Conv2D(filters, 3, padding="same", activation="relu")(x)
        x = MaxPooling2D(2)(x)
    return picture, Dense(16, activation="relu")(Flatten()(x))


def table_branch():
    table = Input(shape=(TABLE_COLUMNS,), name="patient")
    x = Dense(16, activation="relu")(table)
    return table, Dropout(0.1)(x)


def diagnosis_model(classes):
    picture, seen = picture_branch()
    table, known = table_branch()
    both = Concatenate(axis=-1)([seen, known])
    both = Dense(24, activation="relu")(both)
    return Model([picture, table], Dense(classes, activation="softmax")(both))


def patients(rows, rng):
    pictures = rng.random((rows, *PICTURE), dtype="float32")
    tables = rng.normal(size=(rows, TABLE_COLUMNS)).astype("float32")
    return pictures, tables, rng.integers(0, 3, size=rows)


def main():
    rng = np.random.default_rng(77)
    pictures, tables, diagnoses = patients(48, rng)
    model = diagnosis_model(classes=3)
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit({"picture": pictures, "patient": tables}, diagnoses, epochs=1, batch_size=16, verbose=0)
    print("trained on", len(diagnoses), "patients")


if __name__ == "__main__":
    main()
