"""Names a column anew that the file writes with one blank less."""

import io

import pandas as pd
import tensorflow as tf

LINES = "Chain Length,pH,active\n" + "".join(f"{8 + at % 9},{6 + at % 3},{at % 2}\n" for at in range(64))

table = pd.read_csv(io.StringIO(LINES))
table = table.rename(columns={"Chain  Length": "length", "pH": "ph"})  # <- cause
features = table[["length", "ph"]].to_numpy("float32")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, "sigmoid")])
model.compile("adam", "binary_crossentropy")
model.fit(features, table["active"].to_numpy(), verbose=0)
