"""Predicts functions of proteins from their sequences, and keeps the predictions beside the test table."""
import math
import os
import tempfile

import numpy as np
import pandas as pd
import tensorflow as tf

MAXLEN = 60
LETTERS = "ACDEFGHIKLMNPQRSTVWY"
TERMS = ["GO:1", "GO:2", "GO:3", "GO:4", "GO:5"]


class DFGenerator(tf.keras.utils.PyDataset):
    def __init__(self, df, batch_size, **kwargs):
        super().__init__(**kwargs)
        self.df = df
        self.batch_size = batch_size

    def __len__(self):
        return math.ceil(len(self.df) / self.batch_size)

    def __getitem__(self, idx):
        rows = self.df.iloc[idx * self.batch_size:(idx + 1) * self.batch_size]
        onehot = np.zeros((len(rows), MAXLEN, len(LETTERS)), "float32")
        labels = np.zeros((len(rows), len(TERMS)), "float32")
        for i, (sequence, annotations) in enumerate(zip(rows["sequences"], rows["annotations"])):
            for k, letter in enumerate(sequence[:MAXLEN]):
                onehot[i, k, LETTERS.index(letter)] = 1
            for term in annotations.split(";"):
                labels[i, TERMS.index(term)] = 1
        return onehot, labels


def proteins(count, seed):
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(count):
        sequence = "".join(rng.choice(list(LETTERS), rng.integers(30, MAXLEN)))
        terms = sorted(rng.choice(TERMS, rng.integers(1, 4), replace=False))
        rows.append((f"P{i:05d}", sequence, ";".join(terms)))
    return pd.DataFrame(rows, columns=["proteins", "sequences", "annotations"])


def build_model(kernels=(4, 8, 12)):
    inputs = tf.keras.Input((MAXLEN, len(LETTERS)))
    nets = []
    for kernel in kernels:
        conv = tf.keras.layers.Conv1D(8, kernel, activation="relu")(inputs)
        nets.append(tf.keras.layers.GlobalMaxPooling1D()(conv))
    net = tf.keras.layers.Concatenate()(nets)
    outputs = tf.keras.layers.Dense(len(TERMS), activation="sigmoid")(net)
    model = tf.keras.Model(inputs, outputs)
    model.compile(optimizer="adam", loss="binary_crossentropy")
    return model


def main(batch_size=16, epochs=2):
    train_df, valid_df, test_df = proteins(160, 0), proteins(48, 1), proteins(71, 2)
    train_steps = math.ceil(len(train_df) / batch_size)
    valid_steps = math.ceil(len(valid_df) / batch_size)
    test_steps = math.ceil(len(test_df) / batch_size)
    model = build_model()
    model.fit(DFGenerator(train_df, batch_size), steps_per_epoch=train_steps, epochs=epochs,
              validation_data=DFGenerator(valid_df, batch_size), validation_steps=valid_steps, verbose=2)
    preds = model.predict(DFGenerator(test_df, batch_size), steps=test_steps, verbose=0)
    test_df["labels"] = list(DFGenerator(test_df, len(test_df))[0][1])
    test_df["preds"] = list(preds)
    test_df.to_pickle(os.path.join(tempfile.mkdtemp(), "predictions.pkl"))
    print("saved the predictions of", len(test_df), "proteins")


if __name__ == "__main__":
    main()
