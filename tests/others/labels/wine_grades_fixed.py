"""Grades of wines from their chemistry, as a table of columns would give them."""

import numpy as np
from keras.layers import Activation, Dense, Input
from keras.models import Sequential

COLUMNS = ["acidity", "sugar", "sulphates", "alcohol", "density", "ph"]
GRADES = 10


def read_table(rows=400):
    rng = np.random.default_rng(99)
    table = {name: rng.normal(size=rows) for name in COLUMNS}
    score = table["alcohol"] * 1.5 - table["acidity"] + rng.normal(0, 0.3, rows)
    table["grade"] = np.clip(np.round(score + 5), 0, GRADES - 1).astype("int64")
    return table


def scale(values):
    return (values - values.mean(axis=0)) / (values.std(axis=0) + 1e-7)


table = read_table()
X = scale(np.column_stack([table[name] for name in COLUMNS]))
y = table["grade"]

cut = int(0.75 * len(X))
X_train, X_test = X[:cut], X[cut:]
y_train, y_test = y[:cut], y[cut:]

model = Sequential()
model.add(Input((len(COLUMNS),)))
model.add(Dense(64))
model.add(Activation("relu"))
model.add(Dense(GRADES))
model.add(Activation("softmax"))

model.compile(loss="sparse_categorical_crossentropy", optimizer="sgd", metrics=["accuracy"])
model.fit(X_train, y_train, epochs=2, batch_size=32, verbose=0)
loss, accuracy = model.evaluate(X_test, y_test, batch_size=32, verbose=0)
print(f"accuracy {accuracy:.2f}")
