import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import tensorflow as tf

SIDE, GRID, BATCH = 32, 4, 16


def slides(count, seed=1):
    draw = np.random.default_rng(seed)
    cell = SIDE // GRID
    pictures = draw.random((count, SIDE, SIDE, 1)).astype("float32") * 0.1
    labels = np.zeros((count, GRID, GRID, 5), "float32")
    for number in range(count):
        for _ in range(3):
            row, column = draw.integers(0, GRID, 2)
            wide, high = draw.integers(3, 8, 2)
            pictures[number, row * cell : row * cell + high, column * cell : column * cell + wide] += 0.8
            labels[number, row, column] = (column * cell + wide / 2, row * cell + high / 2, wide, high, 1.0)
    return pictures, labels


def corners(boxes):
    low = boxes[..., :2] - boxes[..., 2:] * 0.5
    high = boxes[..., :2] + boxes[..., 2:] * 0.5
    return low, high


def area(low, high):
    sides = tf.maximum(high - low, 0.0)
    return sides[..., 0] * sides[..., 1]


def overlap(first, second):
    """Generalised intersection over union of two sets of boxes (x, y, width, height)."""
    low_1, high_1 = corners(first)
    low_2, high_2 = corners(second)
    inside = area(tf.maximum(low_1, low_2), tf.minimum(high_1, high_2))
    union = area(low_1, high_1) + area(low_2, high_2) - inside
    around = area(tf.minimum(low_1, low_2), tf.maximum(high_1, high_2))
    iou = inside / (union + 1e-9)
    return iou - (around - union) / (around + 1e-9)


class Detector(keras.Model):
    def __init__(self):
        super().__init__()
        self.body = [
            keras.layers.Conv2D(filters, 3, strides=2, padding="same", activation="relu") for filters in (8, 16, 16)
        ]
        self.head = keras.layers.Conv2D(5, 1)

    def call(self, pictures):
        hidden = pictures
        for layer in self.body:
            hidden = layer(hidden)
        raw = self.head(hidden)
        places = tf.stack(tf.meshgrid(tf.range(GRID), tf.range(GRID)), -1)
        centre = (tf.sigmoid(raw[..., :2]) + tf.cast(places, tf.float32)) * (SIDE / GRID)
        size = tf.nn.relu(raw[..., 2:4]) * (SIDE / GRID)
        return tf.concat([centre, size], -1), raw[..., 4]


def losses(boxes, logits, labels):
    there = labels[..., 4]
    box = there * (1.0 - overlap(boxes, labels[..., :4]))
    confidence = tf.nn.sigmoid_cross_entropy_with_logits(there, logits)
    return tf.reduce_mean(tf.reduce_sum(box, [1, 2])), tf.reduce_mean(tf.reduce_sum(confidence, [1, 2]))


def main():
    keras.utils.set_random_seed(5)
    data = tf.data.Dataset.from_tensor_slices(slides(320)).batch(BATCH)
    detector, optimizer = Detector(), keras.optimizers.Adam(1e-3)

    @tf.function
    def train_step(pictures, labels):
        with tf.GradientTape() as tape:
            boxes, logits = detector(pictures)
            box, confidence = losses(boxes, logits, labels)
            total = box + confidence
        gradients = tape.gradient(total, detector.trainable_variables)
        optimizer.apply_gradients(zip(gradients, detector.trainable_variables))
        return box, confidence

    for epoch in range(2):
        for pictures, labels in data:
            box, confidence = train_step(pictures, labels)
        print("epoch", epoch, "box", float(box), "confidence", float(confidence), flush=True)


main()
