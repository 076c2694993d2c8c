import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

rng = np.random.default_rng(10)
genes = rng.integers(0, 3, size=(200, 14_000)).astype("int8")
phenotype = genes[:, 3] * 0.5 + rng.normal(size=200)


def related(table, target, keep):
    both = np.corrcoef(table.T)  # <- cause
    strength = np.abs(both @ np.corrcoef(target, table[:, 0])[0, :1].repeat(len(both)))
    return np.argsort(strength)[-keep:]


columns = related(genes, phenotype, 50)
x = genes[:, columns].astype("float32")
model = keras.Sequential([keras.Input((50,)), keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(x, phenotype, epochs=2, verbose=2)
