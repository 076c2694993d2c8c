import numpy as np
from tensorflow.keras import layers, models


def sign_net(shape, classes):
    return models.Sequential(
        [
            layers.Input(shape),
            layers.Conv2D(8, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(32, activation="relu"),
            layers.Dense(classes, activation="softmax"),
        ]
    )


def smooth_labels(y, classes, amount=0.1):
    hot = np.eye(classes, dtype="float32")[y]
    return hot * (1 - amount) + amount / classes
