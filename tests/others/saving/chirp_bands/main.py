import os
from tensorflow import keras
from bands import BandEnergy
from train import chirps, train_and_save

PATH = "model_best.h5"

if not os.path.exists(PATH):
    train_and_save(PATH)

model = keras.models.load_model(PATH)  # <- cause
model.summary()

x, y = chirps(32)
print("probabilities", model.predict(x[:4], verbose=0).ravel())
print("loss, acc", model.evaluate(x, y, verbose=0))
