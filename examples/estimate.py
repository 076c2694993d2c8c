"""What a training would take, before it is run: by batch, by layer, and the largest batch that fits.

whydied estimate examples/estimate.py --batch-size 32,128 --limit 4G
"""

import keras
import numpy as np

images = np.zeros((2048, 64, 64, 3), "float32")
labels = np.zeros(2048, "int32")

model = keras.Sequential(
    [
        keras.Input((64, 64, 3)),
        keras.layers.Conv2D(64, 3, activation="relu"),
        keras.layers.Conv2D(64, 3, activation="relu"),
        keras.layers.MaxPooling2D(),
        keras.layers.Conv2D(128, 3, activation="relu"),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(10, activation="softmax"),
    ]
)
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(images, labels, batch_size=512, epochs=3)
