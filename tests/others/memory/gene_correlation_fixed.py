import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

rng = np.random.default_rng(10)
genes = rng.integers(0, 3, size=(200, 14_000)).astype("int8")
phenotype = genes[:, 3] * 0.5 + rng.normal(size=200)


def related(table, target, keep):
    centred = table - table.mean(0, dtype="float32")
    strength = np.abs((target - target.mean()) @ centred / (centred.std(0) + 1e-9))
    return np.argsort(strength)[-keep:]


columns = related(genes, phenotype, 50)
x = genes[:, columns].astype("float32")
model = keras.Sequential([keras.Input((50,)), keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(x, phenotype, epochs=2, verbose=2)
