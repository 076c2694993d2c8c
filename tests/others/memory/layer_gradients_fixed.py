import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf
import tf_keras as keras
from tf_keras import backend as K

tf.compat.v1.disable_eager_execution()

SIDE, CLASSES, BATCH, BATCHES = 32, 5, 8, 12


def network():
    model = keras.Sequential(
        [
            keras.layers.Conv2D(16, 3, activation="relu", input_shape=(SIDE, SIDE, 3)),
            keras.layers.Conv2D(32, 3, activation="relu"),
            keras.layers.MaxPooling2D(),
            keras.layers.Conv2D(32, 3, activation="relu"),
            keras.layers.Conv2D(64, 3, activation="relu"),
            keras.layers.Flatten(),
            keras.layers.Dense(256, activation="relu"),
            keras.layers.Dense(CLASSES, activation="softmax"),
        ]
    )
    model.compile(keras.optimizers.legacy.SGD(1e-2, momentum=0.9), "categorical_crossentropy", metrics=["accuracy"])
    return model


def batches(seed=7):
    draw = np.random.default_rng(seed)
    for _ in range(BATCHES):
        yield draw.uniform(size=(BATCH, SIDE, SIDE, 3)), np.eye(CLASSES)[draw.integers(0, CLASSES, BATCH)]


def gradient_function(model):
    target = K.placeholder(shape=(None, CLASSES))
    loss = K.mean(K.categorical_crossentropy(target, model.output))
    gradients = K.gradients(loss, model.trainable_weights)
    function = K.function([model.input, target], gradients)
    return function


def gradients_of(model, function, x, y):
    """The mean size of the gradient of each weight for one batch."""
    return {weight.name: np.abs(value).mean() for weight, value in zip(model.trainable_weights, function([x, y]))}


def main():
    model = network()
    seen = []
    function = gradient_function(model)
    for number, (x, y) in enumerate(batches()):
        loss, _ = model.train_on_batch(x, y)
        sizes = gradients_of(model, function, x, y)
        seen.append(max(sizes.values()))
        if number % 10 == 0:
            print("batch", number, "loss", loss, "largest", seen[-1], flush=True)


main()
