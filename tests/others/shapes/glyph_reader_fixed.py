"""Reads glyphs, in the layout of an older tutorial. Keras 2."""

import numpy as np
from tf_keras.layers import Conv2D, Dense, Dropout, Flatten, MaxPooling2D
from tf_keras.models import Sequential

rng = np.random.default_rng(10)
X_train = rng.integers(0, 255, (120, 28, 28)).astype("float32") / 255
Y_train = np.eye(10)[rng.integers(0, 10, 120)]
X_train = X_train.reshape(X_train.shape[0], 28, 28, 1)

model = Sequential()
model.add(Conv2D(8, (3, 3), activation="relu", input_shape=(28, 28, 1)))
model.add(Conv2D(8, (3, 3), activation="relu"))
model.add(MaxPooling2D(pool_size=(2, 2)))
model.add(Dropout(0.25))
model.add(Flatten())
model.add(Dense(10, activation="softmax"))
model.compile(loss="categorical_crossentropy", optimizer="adam", metrics=["accuracy"])
model.fit(X_train, Y_train, batch_size=32, epochs=1, verbose=0)
print("trained")
