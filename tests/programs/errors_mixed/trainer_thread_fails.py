"""A thread trains; its error ends the thread, and the main thread leaves with a status."""

import sys
import threading

import keras
import numpy as np

done = []


def train():
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
    model.compile("sgd", "mse")
    model.fit(np.ones((4, 3)), np.ones((4, 5)), verbose=0)  # <- cause
    done.append(True)


worker = threading.Thread(target=train, name="trainer")
worker.start()
worker.join()
if not done:
    sys.exit("the training did not end well")  # <- cause
