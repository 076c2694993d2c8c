"""Mini detector: train the regression/classification heads, then evaluate a snapshot."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

SIDE, CELLS, CLASSES = 32, 16, 2
SNAPSHOT = "snapshot.keras"


def anchors():
    ys, xs = np.mgrid[4:SIDE:8, 4:SIDE:8]
    centres = np.stack([xs.ravel(), ys.ravel()], axis=1).astype("float32")
    return np.concatenate([centres - 4, centres + 4], axis=1)


def make_scenes(n=48, seed=20):
    rng = np.random.default_rng(seed)
    images = rng.normal(0, 0.1, (n, SIDE, SIDE, 1)).astype("float32")
    regression = np.zeros((n, CELLS, 4), "float32")
    classes = np.zeros((n, CELLS, CLASSES), "float32")
    for i in range(n):
        cell, kind = int(rng.integers(CELLS)), int(rng.integers(CLASSES))
        r, c = divmod(cell, 4)
        images[i, r * 8:r * 8 + 8, c * 8:c * 8 + 8, 0] += 1.0 + kind
        classes[i, cell, kind] = 1.0
        regression[i, cell] = rng.normal(0, 0.1, 4)
    return images, regression, classes


def training_model():
    inputs = layers.Input((SIDE, SIDE, 1))
    x = layers.Conv2D(8, 3, strides=2, padding="same", activation="relu")(inputs)
    x = layers.Conv2D(16, 4, strides=4, padding="same", activation="relu")(x)
    reg = layers.Reshape((CELLS, 4), name="regression")(layers.Conv2D(4, 1)(x))
    cls = layers.Conv2D(CLASSES, 1, activation="sigmoid")(x)
    cls = layers.Reshape((CELLS, CLASSES), name="classification")(cls)
    model = tf.keras.Model(inputs, [reg, cls], name="retina_train")
    model.compile("adam", loss=["mae", "binary_crossentropy"])
    return model


class BoxDecoder(layers.Layer):
    def call(self, regression):
        return tf.constant(anchors())[None] + 8.0 * regression


def convert_model(model):
    regression, classification = model.outputs
    boxes = BoxDecoder(name="boxes")(regression)
    scores = layers.Lambda(lambda t: tf.reduce_max(t, -1), name="scores")(classification)
    labels = layers.Lambda(lambda t: tf.argmax(t, -1), name="labels")(classification)
    return tf.keras.Model(model.input, [boxes, scores, labels], name="retina_inference")


def get_detections(model, images, threshold=0.05):
    found = []
    for image in images:
        boxes, scores, labels = model.predict_on_batch(np.expand_dims(image, 0))[:3]
        keep = scores[0] > threshold
        found.append((boxes[0][keep], scores[0][keep], labels[0][keep]))
    return found


def main():
    tf.keras.utils.set_random_seed(20)
    images, regression, classes = make_scenes()
    model = training_model()
    model.fit(images, [regression, classes], epochs=2, batch_size=16, verbose=2)
    model.save(SNAPSHOT)

    model = tf.keras.models.load_model(SNAPSHOT)
    model = convert_model(model)
    print("loaded", model.name, "with", model.count_params(), "weights")
    detections = get_detections(model, images[:5])
    print([len(boxes) for boxes, _, _ in detections])


if __name__ == "__main__":
    main()
