"""Leaf diseases with a focal loss. Keras 2."""

import numpy as np
import tensorflow as tf
import tf_keras
from tf_keras import backend as K

KINDS = 4


def categorical_focal_loss(gamma=2.0, alpha=0.25):
    def loss(y_true, y_pred):
        y_pred /= K.sum(y_pred, axis=-1, keepdims=True)
        y_pred = K.clip(y_pred, K.epsilon(), 1.0 - K.epsilon())
        cross_entropy = -y_true * K.log(y_pred)  # <- cause
        return K.sum(alpha * K.pow(1 - y_pred, gamma) * cross_entropy, axis=1)

    return loss


def leaves(count):
    rng = np.random.default_rng(1)
    pictures = rng.random((count, 16, 16, 3)).astype("float32")
    kinds = np.eye(KINDS, dtype="int64")[rng.integers(0, KINDS, count)]  # <- cause
    return tf.data.Dataset.from_tensor_slices((pictures, kinds)).batch(16)  # <- cause


model = tf_keras.Sequential(
    [
        tf_keras.layers.Conv2D(4, 3, activation="relu", input_shape=(16, 16, 3)),
        tf_keras.layers.GlobalAveragePooling2D(),
        tf_keras.layers.Dense(KINDS, activation="softmax"),
    ]
)
model.compile("adam", loss=categorical_focal_loss(), metrics=["categorical_accuracy"])
model.fit(leaves(64), epochs=1, verbose=0)
print("trained")
