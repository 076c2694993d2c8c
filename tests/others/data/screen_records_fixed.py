import json
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np


def write_records(path):
    draw = np.random.default_rng(65)
    with open(path, "w") as file:
        for number in range(60):
            box = [int(one) for one in draw.integers(0, 100, 4)]
            file.write(json.dumps({"file": f"screen_{number}.png", "box": box, "kind": number % 2}) + "\n")


class Screens:
    def __init__(self, annotations):
        self.annotations = annotations
        self.records = self.load()

    def load(self):
        with open(self.annotations) as file:
            return [json.loads(line) for line in file]

    def arrays(self):
        boxes = np.array([record["box"] for record in self.records], "float32") / 100
        return boxes, np.array([record["kind"] for record in self.records])


def build_dataset(name):
    path = f"{name}.jsonl"
    write_records(path)
    return Screens(path)


def main():
    x, y = build_dataset("train").arrays()
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1, activation="sigmoid")])
    model.compile("adam", "binary_crossentropy")
    model.fit(x, y, epochs=1, verbose=0)


main()
