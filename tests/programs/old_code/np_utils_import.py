"""Imports a module that is gone; its functions are in the parent now."""

import numpy as np
from keras.utils import np_utils  # <- cause

labels = np.array([0, 2, 1])
print(np_utils.to_categorical(labels, 3))
