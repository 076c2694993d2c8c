import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, models

np.random.seed(9)
tf.random.set_seed(9)


def swatches(count):
    fault = np.random.randint(0, 3, count)
    pics = np.random.randint(0, 120, (count, 28, 28)).astype("uint8")
    for n, f in enumerate(fault):
        pics[n, :, 8 * f + 2:8 * f + 8] += 100
    return pics, fault


(train_images, train_labels), (test_images, test_labels) = swatches(150), swatches(40)
train_images = train_images / 255.0  # <- cause
test_images = test_images / 255.0  # <- cause
print(train_images.shape)

model = models.Sequential()
model.add(layers.Conv2D(8, (3, 3), activation="relu", input_shape=(28, 28)))  # <- cause
model.add(layers.MaxPooling2D((2, 2)))
model.add(layers.Conv2D(12, (3, 3), activation="relu"))
model.add(layers.Flatten())
model.add(layers.Dense(24, activation="relu"))
model.add(layers.Dense(3, activation="softmax"))

model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit(train_images, train_labels, epochs=2, verbose=2)
print(model.evaluate(test_images, test_labels, verbose=0))
