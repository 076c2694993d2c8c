"""Trains a small grid detector on an annotation file: path box,box,... with x1,y1,x2,y2,class in each box."""
import os
import tempfile

import numpy as np
import tensorflow as tf

SIDE, GRID = 48, 6
CLASS_NAMES = ["bolt", "nut", "screw", "nail", "hook"]


def write_annotations(folder, count=48):
    rng = np.random.default_rng(3)
    lines = []
    for i in range(count):
        picture = rng.random((SIDE, SIDE, 3)).astype("float32") * 0.2
        boxes = []
        for k in range(2):
            kind = (i + k) % len(CLASS_NAMES)
            x, y = rng.integers(0, SIDE - 10, 2)
            picture[y:y + 9, x:x + 9] = 0.3 + 0.15 * kind
            boxes.append(f"{x},{y},{x + 9},{y + 9},{kind}")
        path = os.path.join(folder, f"part_{i}.npy")
        np.save(path, picture)
        lines.append(path + " " + " ".join(boxes))
    target = os.path.join(folder, "train.txt")
    with open(target, "w") as f:
        f.write("\n".join(lines))
    return target


def get_training_data(annotation_path):
    image_data, box_data = [], []
    with open(annotation_path) as f:
        for line in f:
            path, *boxes = line.split()
            image_data.append(np.load(path))
            box_data.append([[int(v) for v in box.split(",")] for box in boxes])
    return np.array(image_data), box_data


def preprocess_true_boxes(box_data, num_classes):
    cell = SIDE / GRID
    y_true = np.zeros((len(box_data), GRID, GRID, 5 + num_classes), dtype="float32")
    for b, boxes in enumerate(box_data):
        for x1, y1, x2, y2, c in boxes:
            cx, cy = (x1 + x2) / 2, (y1 + y2) / 2
            i, j = int(cx // cell), int(cy // cell)
            y_true[b, j, i, 0:4] = [cx / SIDE, cy / SIDE, (x2 - x1) / SIDE, (y2 - y1) / SIDE]
            y_true[b, j, i, 4] = 1
            y_true[b, j, i, 5 + c] = 1
    return y_true


def yolo_loss(y_true, y_pred):
    seen = y_true[..., 4:5]
    box = tf.reduce_sum(seen * tf.square(y_true[..., :4] - y_pred[..., :4]))
    score = tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(seen, y_pred[..., 4:5]))
    kind = tf.reduce_sum(seen * tf.nn.sigmoid_cross_entropy_with_logits(y_true[..., 5:], y_pred[..., 5:]))
    return (5.0 * box + score + kind) / tf.cast(tf.shape(y_true)[0], tf.float32)


def create_model(num_classes):
    model = tf.keras.Sequential([
        tf.keras.Input((SIDE, SIDE, 3)),
        tf.keras.layers.Conv2D(16, 3, strides=2, padding="same", activation="relu"),
        tf.keras.layers.Conv2D(32, 3, strides=2, padding="same", activation="relu"),
        tf.keras.layers.Conv2D(32, 3, strides=2, padding="same", activation="relu"),
        tf.keras.layers.Conv2D(5 + num_classes, 1),
    ])
    model.compile(optimizer="adam", loss=yolo_loss)
    return model


def main():
    annotation_path = write_annotations(tempfile.mkdtemp())
    images, box_data = get_training_data(annotation_path)
    y_true = preprocess_true_boxes(box_data, len(CLASS_NAMES))
    model = create_model(len(CLASS_NAMES))
    model.fit(images, y_true, batch_size=8, epochs=3, verbose=2)


if __name__ == "__main__":
    main()
