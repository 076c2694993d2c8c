"""Which desk a support ticket goes to, by its product."""

import keras
import numpy as np
import tensorflow as tf

PRODUCTS = ("router", "phone", "modem", "tablet")


def tickets(count):
    draw = np.random.default_rng(21)
    picked = draw.integers(0, len(PRODUCTS), count)
    return tf.constant([PRODUCTS[at] for at in picked]), (picked % 2).astype("float32")


lookup = keras.layers.StringLookup(vocabulary=list(PRODUCTS), output_mode="one_hot")
product = keras.Input(shape=(), dtype=tf.string, name="product")
desk = keras.layers.Dense(1, activation="sigmoid")(lookup(product))
router = keras.Model(product, desk)
router.compile(optimizer="adam", loss="binary_crossentropy")

products, desks = tickets(64)
router.fit(products, desks, batch_size=16, epochs=2, verbose=0)
print("first desk:", float(router.predict(products[:1], verbose=0)[0, 0]) > 0.5)
