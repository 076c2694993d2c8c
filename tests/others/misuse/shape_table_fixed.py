"""Prints a table of the shapes and sizes of a model's layers, for the report of an export tool."""
import numpy as np
import keras
from keras import layers


def build_model():
    return keras.Sequential([
        keras.Input((28, 28, 1), name="picture"),
        layers.Conv2D(8, 3, activation="relu", name="edges"),
        layers.MaxPooling2D(name="pool"),
        layers.Conv2D(16, 3, activation="relu", name="parts"),
        layers.Flatten(name="flat"),
        layers.Dense(10, activation="softmax", name="digits"),
    ])


def layer_shapes(model):
    shapes = {}
    for layer in model.layers:
        shapes[layer.name] = tuple(layer.output.shape)
    return shapes


def buffer_sizes(shapes, bytes_per_value=4):
    return {name: int(np.prod([d for d in shape if d is not None])) * bytes_per_value
            for name, shape in shapes.items()}


def digits(count=128):
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 10, count)
    pictures = rng.random((count, 28, 28, 1)).astype("float32") * 0.3
    for i, label in enumerate(labels):
        pictures[i, label * 2:label * 2 + 4] += 0.6
    return pictures, labels


if __name__ == "__main__":
    pictures, labels = digits()
    model = build_model()
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(pictures, labels, epochs=2, batch_size=32, verbose=2)
    shapes = layer_shapes(model)
    sizes = buffer_sizes(shapes)
    for name, shape in shapes.items():
        print(f"{name:10s} {str(shape):22s} {sizes[name]:8d} bytes")
    print("largest buffer:", max(sizes.values()))
