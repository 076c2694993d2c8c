import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

ANCHOR = 16.0


def annotations(count, seed=21):
    """One nucleus for each picture as people drew it: where the mouse went down, and where it came up."""
    draw = np.random.default_rng(seed)
    found = []
    for number in range(count):
        x, y = draw.uniform(4, 40, 2)
        wide, high = draw.uniform(8, 22, 2)
        box = {"x1": x, "y1": y, "x2": x + wide, "y2": y + high}
        if number in (37, 118):
            box["x1"], box["x2"] = box["x2"], box["x1"]
        found.append(box)
    return found


def rendered(boxes, size=64, seed=22):
    draw = np.random.default_rng(seed)
    pictures = draw.normal(0, 0.05, (len(boxes), size, size, 1))
    for picture, box in zip(pictures, boxes, strict=True):
        left, right = sorted((int(box["x1"]), int(box["x2"])))
        picture[int(box["y1"]) : int(box["y2"]), left:right] += 1.0
    return pictures.astype("float32")


def usable(boxes):
    return [box for box in boxes if box["y2"] > box["y1"] and box["x2"] > box["x1"]]


def targets(boxes):
    """Boxes as shifts and log scales of one anchor in the middle."""
    corners = np.array([[box[key] for key in ("x1", "y1", "x2", "y2")] for box in boxes])
    sizes = corners[:, 2:] - corners[:, :2]
    centres = corners[:, :2] + sizes / 2
    shifts = (centres - 32.0) / ANCHOR
    with np.errstate(all="ignore"):
        scales = np.log(sizes / ANCHOR)
    return np.concatenate([shifts, scales], 1).astype("float32")


class Slides(keras.utils.PyDataset):
    def __init__(self, boxes, batch_size=16):
        super().__init__()
        self.boxes, self.batch_size = boxes, batch_size
        self.pictures = rendered(boxes)

    def __len__(self):
        return len(self.boxes) // self.batch_size

    def __getitem__(self, index):
        rows = slice(index * self.batch_size, (index + 1) * self.batch_size)
        return self.pictures[rows], targets(self.boxes[rows])


def build():
    model = keras.Sequential([keras.Input((64, 64, 1))])
    for filters in (4, 8, 8):
        model.add(keras.layers.Conv2D(filters, 3, strides=2, activation="relu"))
    model.add(keras.layers.Flatten())
    model.add(keras.layers.Dense(4))
    return model


def main():
    keras.utils.set_random_seed(2)
    model = build()
    model.compile("adam", keras.losses.Huber())
    model.fit(Slides(usable(annotations(160))), epochs=2, verbose=2, shuffle=False)


main()
