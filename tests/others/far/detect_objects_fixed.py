import json
import os
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import tensorflow as tf

GRID, ANCHORS = 13, 3

DEFAULTS = {
    "model": "detector.keras",
    "classes": "all_classes.txt",
    "score": 0.3,
}


def published(where):
    """What the project ships: a model that was trained on all classes, and lists of class names."""
    names = [f"thing_{number}" for number in range(80)]
    with open(os.path.join(where, "all_classes.txt"), "w") as file:
        file.write("\n".join(names))
    with open(os.path.join(where, "my_classes.txt"), "w") as file:
        file.write("person")
    with open(os.path.join(where, "anchors.json"), "w") as file:
        json.dump([[10, 13], [30, 61], [116, 90]], file)
    picture = keras.Input((52, 52, 3))
    hidden = keras.layers.Conv2D(8, 3, strides=4, padding="same", activation="relu")(picture)
    out = keras.layers.Conv2D(ANCHORS * (len(names) + 5), 1)(hidden)
    keras.Model(picture, out).save(os.path.join(where, "detector.keras"))


class Detector:
    def __init__(self, where, **options):
        self.options = dict(DEFAULTS, **options)
        self.where = where
        self.names = self._class_names()
        self.anchors = self._anchor_sizes()
        self.model = keras.models.load_model(os.path.join(where, self.options["model"]))

    def _class_names(self):
        with open(os.path.join(self.where, self.options["classes"])) as file:
            return [line.strip() for line in file if line.strip()]

    def _anchor_sizes(self):
        with open(os.path.join(self.where, "anchors.json")) as file:
            return np.array(json.load(file), "float32")

    def head(self, features, classes):
        features = tf.reshape(features, (-1, GRID, GRID, len(self.anchors), classes + 5))
        centre = tf.sigmoid(features[..., :2])
        size = tf.exp(tf.minimum(features[..., 2:4], 4.0)) * self.anchors
        confidence = tf.sigmoid(features[..., 4:5])
        return centre, size, confidence, tf.sigmoid(features[..., 5:])

    def detect(self, picture):
        features = self.model(picture[None])
        centre, size, confidence, chances = self.head(features, len(self.names))
        scores = tf.reshape(confidence * chances, (-1, len(self.names)))
        best = tf.argmax(scores, 1).numpy()
        kept = tf.reduce_max(scores, 1).numpy() > self.options["score"]
        return [self.names[number] for number in best[kept]]


def main():
    with tempfile.TemporaryDirectory() as where:
        published(where)
        detector = Detector(where)
        found = detector.detect(np.random.default_rng(0).random((52, 52, 3)).astype("float32"))
        print("found", len(found), "objects")


main()
