"""A camera that names fruit with a converted model."""

import numpy as np
import tensorflow as tf

NAMES = ["apple", "banana", "cherry"]
SIDE = 10


def convert():
    model = tf.keras.Sequential(
        [
            tf.keras.Input((SIDE, SIDE, 3)),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(len(NAMES), activation="softmax"),
        ]
    )
    return tf.lite.TFLiteConverter.from_keras_model(model).convert()


class Classifier:
    def __init__(self, content):
        self.interpreter = tf.lite.Interpreter(model_content=content)
        self.interpreter.allocate_tensors()
        self.entry = self.interpreter.get_input_details()[0]
        self.exit = self.interpreter.get_output_details()[0]

    def name(self, picture):
        batch = np.expand_dims(picture, axis=0)
        self.interpreter.set_tensor(self.entry["index"], batch)  # <- cause
        self.interpreter.invoke()
        scores = self.interpreter.get_tensor(self.exit["index"])[0]
        return NAMES[int(scores.argmax())]


def frames(count):
    rng = np.random.default_rng(31)
    for _ in range(count):
        yield rng.integers(0, 256, size=(SIDE, SIDE, 3), dtype=np.uint8)


def scaled(frame):
    return frame / 255.0  # <- cause


def main():
    classifier = Classifier(convert())
    for frame in frames(3):
        print(classifier.name(scaled(frame)) in NAMES)


main()
