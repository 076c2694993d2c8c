"""A loss written with the functions that the backend of Keras 2 had."""

import numpy as np
import keras.backend as K


def loss(y_true, y_pred):
    return K.mean(K.square(y_pred - y_true))  # <- cause


print(loss(np.ones(3), np.zeros(3)))
