"""A training loop in plain Python: its step is found between the tape and the update, traced, and not run.

whydied estimate examples/estimate_eager.py --limit 4G --device-memory 24G
"""

import keras
import numpy as np
import tensorflow as tf

images = np.zeros((2048, 64, 64, 3), "float32")
labels = np.zeros(2048, "int32")
batches = tf.data.Dataset.from_tensor_slices((images, labels)).batch(256)

model = keras.Sequential(
    [
        keras.Input((64, 64, 3)),
        keras.layers.Conv2D(64, 3, activation="relu"),
        keras.layers.Conv2D(64, 3, activation="relu"),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(10),
    ]
)
optimizer = keras.optimizers.Adam()
loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

for x, y in batches:
    with tf.GradientTape() as tape:
        loss = loss_of(y, model(x, training=True))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    print(float(loss))
