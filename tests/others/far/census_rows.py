import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import pandas as pd

CONFIG = {"file": "adult.data.csv", "target": "above_fifty", "numeric": ["age", "hours"], "batch_size": 32}


def write_file(path):
    draw = np.random.default_rng(31)
    with open(path, "w") as file:
        file.write("age, workclass, hours, above_fifty\n")
        for _ in range(200):
            kind = draw.choice(["Private", "State-gov"])
            file.write(f"{draw.integers(17, 80)}, {kind}, {draw.integers(10, 60)}, {draw.integers(0, 2)}\n")


def load_csv(path):
    table = pd.read_csv(path, na_values=["?"])  # <- cause
    return table.dropna()


class Trainer:
    def __init__(self, table, config):
        self.table = table
        self.config = config

    def features(self):
        numbers = self.table[self.config["numeric"]].to_numpy("float32")
        return (numbers - numbers.mean(0)) / numbers.std(0)

    def target(self):
        return self.table[self.config["target"]].to_numpy("float32")

    def fit(self):
        y = self.target()
        x = self.features()
        model = keras.Sequential([keras.Input((x.shape[1],)), keras.layers.Dense(1, activation="sigmoid")])
        model.compile("adam", "binary_crossentropy")
        return model.fit(x, y, batch_size=self.config["batch_size"], epochs=1, verbose=0)


def main():
    write_file(CONFIG["file"])
    trainer = Trainer(load_csv(CONFIG["file"]), CONFIG)
    print(trainer.fit().history)


main()
