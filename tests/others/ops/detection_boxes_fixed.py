"""Evaluation of a detector: boxes are scaled back, cut at the picture's edges, and counted."""

import numpy as np
import tensorflow as tf


class Detector(tf.keras.Model):
    """Three boxes for each picture, as (x1, y1, x2, y2) in pixels of the resized picture, and their scores."""

    def __init__(self, boxes=3):
        super().__init__()
        self.body = tf.keras.Sequential(
            [tf.keras.layers.Conv2D(8, 3, 2, activation="relu"), tf.keras.layers.GlobalAveragePooling2D()]
        )
        self.boxes = tf.keras.layers.Dense(boxes * 4)
        self.scores = tf.keras.layers.Dense(boxes, activation="sigmoid")

    def call(self, pictures):
        features = self.body(pictures)
        boxes = tf.reshape(self.boxes(features) * 100.0, [-1, 3, 4])
        return boxes, self.scores(features)


def pictures(count):
    rng = np.random.default_rng(12)
    for _ in range(count):
        height, width = rng.integers(40, 90, 2)
        yield rng.random((height, width, 3)).astype("float32")


def resize(picture, side=64):
    scale = side / max(picture.shape[:2])
    size = [int(picture.shape[0] * scale), int(picture.shape[1] * scale)]
    return tf.image.pad_to_bounding_box(tf.image.resize(picture, size), 0, 0, side, side), scale


def get_detections(model, source, threshold=0.3):
    kept = []
    for picture in source:
        height, width = picture.shape[:2]
        image, scale = resize(picture)
        boxes, scores = model(tf.expand_dims(image, 0))
        boxes = boxes.numpy() / scale
        boxes[:, :, 0] = np.clip(boxes[:, :, 0], 0, width - 1)
        boxes[:, :, 1] = np.clip(boxes[:, :, 1], 0, height - 1)
        boxes[:, :, 2] = np.clip(boxes[:, :, 2], 0, width - 1)
        boxes[:, :, 3] = np.clip(boxes[:, :, 3], 0, height - 1)
        good = np.where(np.asarray(scores)[0] > threshold)[0]
        kept.append(boxes[0, good])
    return kept


if __name__ == "__main__":
    tf.keras.utils.set_random_seed(5)
    detections = get_detections(Detector(), pictures(4))
    print("detections", sum(len(boxes) for boxes in detections))
