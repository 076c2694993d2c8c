import json
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

CLASSES = {"bottle": 1, "can": 2}
SIDE = 24


def write_annotations(path):
    """As the older version of the annotation tool saves them."""
    files = {}
    for number in range(12):
        regions = {}
        for at, name in enumerate(("bottle", "can")[: 1 + number % 2]):
            corner = 2 + 4 * at
            shape = {"name": "polygon", "all_points_x": [corner, corner + 6], "all_points_y": [corner, corner + 8]}
            regions[str(at)] = {"shape_attributes": shape, "region_attributes": {"name": name}}
        files[f"waste_{number}.jpg"] = {"filename": f"waste_{number}.jpg", "regions": regions}
    with open(path, "w") as file:
        json.dump(files, file)


class WasteDataset:
    def __init__(self):
        self.images = []

    def load_custom(self, path):
        with open(path) as file:
            annotations = list(json.load(file).values())
        annotations = [a for a in annotations if a["regions"]]
        for a in annotations:
            polygons = [r["shape_attributes"] for r in a["regions"]]  # <- cause
            objects = [r["region_attributes"]["name"] for r in a["regions"]]
            self.images.append((a["filename"], polygons, [CLASSES[name] for name in objects]))

    def masks(self):
        stack = np.zeros((len(self.images), SIDE, SIDE, 1), "float32")
        for row, (_, polygons, numbers) in enumerate(self.images):
            for polygon, number in zip(polygons, numbers):
                (left, right), (top, bottom) = polygon["all_points_x"], polygon["all_points_y"]
                stack[row, top:bottom, left:right] = number
        return stack


def train(dataset):
    masks = dataset.masks()
    pictures = masks + np.random.default_rng(3).normal(0, 0.1, masks.shape)
    model = keras.Sequential([keras.Input((SIDE, SIDE, 1)), keras.layers.Conv2D(3, 3, padding="same")])
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(pictures, masks[..., 0], epochs=1, verbose=0)


if __name__ == "__main__":
    write_annotations("via_region_data.json")
    dataset_train = WasteDataset()
    dataset_train.load_custom("via_region_data.json")
    train(dataset_train)
