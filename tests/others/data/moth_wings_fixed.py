import numpy as np
import tensorflow as tf

dice = np.random.RandomState(12)
wings = dice.rand(40, 16, 16, 3).astype(np.float32)


def hidden_corner(picture):
    top = tf.random.uniform([], 0, 12, dtype=tf.int32)
    left = tf.random.uniform([], 0, 12, dtype=tf.int32)
    square = tf.pad(tf.zeros((4, 4, 3)), [[top, 12 - top], [left, 12 - left], [0, 0]], constant_values=1.0)
    return picture * square


views = (
    tf.data.Dataset.from_tensor_slices(wings)
    .map(lambda picture: (hidden_corner(picture), picture))
    .batch(8)
)

inputs = tf.keras.layers.Input((16, 16, 3))
repaired = tf.keras.layers.Conv2D(3, 3, padding="same")(tf.keras.layers.Conv2D(8, 3, padding="same")(inputs))
repairer = tf.keras.Model(inputs, repaired)
repairer.compile("adam", "mae")
repairer.fit(views, epochs=1, verbose=2)

places = set()
for dimmed, _ in views:
    for one in dimmed.numpy():
        places.add(tuple(np.argwhere(one.sum(axis=-1) == 0)[0]))
print(len(places), "places are hidden")
if len(places) < 5:
    raise RuntimeError("the same corner is hidden in all pictures")
