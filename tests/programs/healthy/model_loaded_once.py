import os
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

with tempfile.TemporaryDirectory() as directory:
    keras.Sequential([keras.Input((400,)), keras.layers.Dense(4000), keras.layers.Dense(1)]).save(f"{directory}/a.keras")
    net = keras.models.load_model(f"{directory}/a.keras")
    for request in range(30):
        net.predict(np.full((8, 400), request, "float32"), verbose=0)
