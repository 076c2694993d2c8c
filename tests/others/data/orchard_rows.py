import numpy as np
import tensorflow as tf
from tensorflow.keras.layers import Concatenate, Dense, Flatten, Conv2D, Input
from tensorflow.keras.models import Model

tf.keras.utils.set_random_seed(1)
rng = np.random.default_rng(1)
photos = rng.random((96, 12, 12, 3)).astype('float32')
weather = rng.random((96, 5)).astype('float32')
harvest = (photos.mean(axis=(1, 2, 3)) + weather[:, 0]).reshape(-1, 1).astype('float32')


def batches(photos, weather, harvest, batch_size):
    n = len(photos)
    while True:
        order = rng.permutation(n)
        for start in range(0, n, batch_size):
            pick = order[start:start + batch_size]
            X1 = photos[pick]
            X2 = weather[pick]
            y = harvest[pick]
            yield [X1, X2], y  # <- cause


def build():
    photo_in = Input((12, 12, 3))
    weather_in = Input((5,))
    a = Conv2D(4, 3, activation='relu')(photo_in)
    a = Flatten()(a)
    a = Dense(8, activation='relu')(a)
    b = Dense(8, activation='relu')(weather_in)
    out = Dense(1)(Concatenate()([a, b]))
    return Model([photo_in, weather_in], out)


model = build()
model.compile(optimizer='adam', loss='mse')
model.fit(batches(photos, weather, harvest, 16), steps_per_epoch=6, epochs=3, verbose=2)
