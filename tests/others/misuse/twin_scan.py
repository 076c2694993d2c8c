"""Compare two scans of the same patient: did the lesion grow?"""
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

SIZE = 20


def scan_encoder(shape, depth=2):  # <- cause
    inp = tf.keras.Input(shape)
    x = inp
    for d in range(depth):
        x = layers.Conv2D(8 * (d + 1), 3, padding="same", activation="relu", name=f"stage{d}_conv")(x)  # <- cause
        x = layers.MaxPooling2D(name=f"stage{d}_pool")(x)  # <- cause
    x = layers.GlobalAveragePooling2D(name="embed")(x)  # <- cause
    return tf.keras.Model(inp, x)


def growth_model():
    before = scan_encoder((SIZE, SIZE, 1))  # <- cause
    after = scan_encoder((SIZE, SIZE, 1))  # <- cause
    joined = layers.Concatenate()([before.output, after.output])
    hidden = layers.Dense(16, activation="relu")(joined)
    grew = layers.Dense(1, activation="sigmoid", name="grew")(hidden)
    return tf.keras.Model([before.input, after.input], grew)


def blob(radius, rng):
    yy, xx = np.mgrid[0:SIZE, 0:SIZE] - SIZE / 2
    img = (np.sqrt(xx**2 + yy**2) < radius).astype("float32")
    return img + rng.normal(0, 0.1, (SIZE, SIZE))


def pairs(n, seed=0):
    rng = np.random.default_rng(seed)
    first, second, grew = [], [], []
    for _ in range(n):
        r0 = rng.uniform(2, 6)
        r1 = r0 + rng.choice([-1.5, 1.5])
        first.append(blob(r0, rng))
        second.append(blob(r1, rng))
        grew.append(float(r1 > r0))
    stack = lambda a: np.array(a, "float32")[..., None]
    return stack(first), stack(second), np.array(grew, "float32")[:, None]


def main():
    tf.keras.utils.set_random_seed(0)
    a, b, y = pairs(200)
    model = growth_model()
    model.compile(optimizer=tf.keras.optimizers.Adam(0.01), loss="binary_crossentropy", metrics=["accuracy"])
    model.fit([a, b], y, epochs=12, batch_size=20, verbose=2)


if __name__ == "__main__":
    main()
