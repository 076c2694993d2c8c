import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

WEIGHTS = "tool_net.weights.h5"
N_ANCHORS = 3


def all_tools():
    return {0: "ape", 1: "can", 2: "cat", 3: "driller", 4: "duck", 5: "glue", 6: "iron", 7: "lamp"}


def single_tool():
    return {0: "driller"}


def build_net(num_classes):
    image = keras.Input(shape=(16, 16, 3))
    x = layers.Conv2D(8, 3, strides=2, padding="same", activation="relu", name="stem")(image)
    x = layers.Conv2D(8, 3, strides=2, padding="same", activation="relu", name="neck")(x)
    x = layers.Conv2D(N_ANCHORS * num_classes, 1, activation="sigmoid", name="class_predict")(x)
    scores = layers.Reshape((-1, num_classes), name="scores")(x)
    return keras.Model(image, scores, name="tool_net")


def train(path):
    rng = np.random.default_rng(6)
    names = single_tool()
    net = build_net(len(names))
    images = rng.random((16, 16, 16, 3)).astype("float32")
    targets = (rng.random((16, 48, len(names))) < 0.1).astype("float32")
    net.compile(optimizer="adam", loss="binary_crossentropy")
    net.fit(images, targets, epochs=1, batch_size=8, verbose=0)
    net.save_weights(path)
    print("weights written:", path)


def load_for_inference(path):
    class_to_name = all_tools()  # <- cause
    net = build_net(len(class_to_name))  # <- cause
    net.load_weights(path)
    return net, class_to_name


def detect(net, class_to_name, image, threshold=0.3):
    scores = net.predict(image[None], verbose=0)[0]
    found = []
    for anchor, row in enumerate(scores):
        best = int(row.argmax())
        if row[best] > threshold:
            found.append((anchor, class_to_name[best], float(row[best])))
    return found


def main():
    train(WEIGHTS)
    net, class_to_name = load_for_inference(WEIGHTS)
    image = np.random.default_rng(99).random((16, 16, 3)).astype("float32")
    hits = detect(net, class_to_name, image)
    print(len(hits), "detections, first:", hits[:1])


if __name__ == "__main__":
    main()
