import random

import numpy as np
import tensorflow as tf

LETTERS = dict(A=1, C=2, G=3, T=4)
random.seed(9)


def read(favourite):
    size = random.randint(14, 24)
    return "".join(random.choices("ACGT", weights=[4 if one == favourite else 1 for one in "ACGT"], k=size))


samples = {name: [read(name) for _ in range(60)] for name in "AG"}


def as_numbers(line):
    return list(map(LETTERS.get, line))


numbered = {}
for name, lines in samples.items():
    numbered[name] = []
    for line in lines:
        numbered[name].append(as_numbers(line))

longest = 24
table = np.zeros((120, longest), "int32")
row = 0
for name in numbered:
    for one in numbered[name]:
        table[row, : len(one)] = one
        row += 1
origin = np.repeat([0.0, 1.0], 60)

net = tf.keras.Sequential()
net.add(tf.keras.layers.Input((longest,)))
net.add(tf.keras.layers.Embedding(5, 6))
net.add(tf.keras.layers.Conv1D(8, 4, activation="relu"))
net.add(tf.keras.layers.GlobalAveragePooling1D())
net.add(tf.keras.layers.Dense(1, activation="sigmoid"))
net.compile("adam", "binary_crossentropy")
net.fit(table, origin, epochs=2, batch_size=20, verbose=2)
