import numpy as np
import os
os.environ["KERAS_BACKEND"] = "tensorflow"
from keras.models import Sequential
from keras.layers import Dense, Input
from keras.optimizers import SGD
import keras

keras.utils.set_random_seed(17)

# spring bench: hang weights (grams) on the spring, read the stretch (mm)
weights_g = 1.0 * np.arange(0, 180)
stretch = 1.6 * weights_g + 4.0
stretch = stretch + np.random.default_rng(2).normal(0, 0.5, stretch.shape)
print("from", weights_g[0], "to", weights_g[-1], "g,", len(weights_g), "readings")

net = Sequential()
net.add(Input(shape=(1,)))
net.add(Dense(1))

sgd = SGD(learning_rate=0.001, momentum=0.0, nesterov=False)  # <- cause
net.compile(loss="mean_squared_error", optimizer=sgd)

h = net.fit(weights_g, stretch, epochs=2, batch_size=1, verbose=0)
print("loss per epoch", h.history["loss"])

for layer in net.layers:
    w, b = layer.get_weights()
    print(layer.name, "slope", w.ravel(), "offset", b)

some = weights_g[:180:30].reshape(-1, 1)
out = net.predict(some, batch_size=10, verbose=0)
for g, mm, real in zip(some.ravel(), out.ravel(), stretch[::30]):
    print("%5.0f g  ->  %7.2f mm  (measured %.2f)" % (g, mm, real))
