"""Quantises a small face model for an edge device."""

import numpy as np
import tensorflow as tf


def face_model(side):
    return tf.keras.Sequential(
        [
            tf.keras.Input((side, side, 3)),
            tf.keras.layers.Conv2D(4, 3, activation="relu"),
            tf.keras.layers.GlobalAveragePooling2D(),
            tf.keras.layers.Dense(5),
        ]
    )


def load_faces(count, side):
    rng = np.random.default_rng(3)
    return rng.uniform(0, 1, size=(count, side, side, 3)).astype("float32")


class Quantiser:
    def __init__(self, model, samples):
        self.model = model
        self.samples = samples

    def representative(self):
        for _ in range(10):
            yield [input]  # <- cause

    def convert(self):
        converter = tf.lite.TFLiteConverter.from_keras_model(self.model)
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.representative_dataset = self.representative
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
        converter.inference_input_type = tf.int8
        converter.inference_output_type = tf.int8
        return converter.convert()


def main():
    faces = load_faces(20, 16)
    model = face_model(16)
    model.compile("adam", "mse")
    model.fit(faces, np.zeros((20, 5), "float32"), verbose=0)
    flat = Quantiser(model, faces).convert()
    print("bytes:", len(flat))


if __name__ == "__main__":
    main()
