"""Which pixels matter: the gradient of the class score with respect to the picture."""

import numpy as np
import tensorflow as tf

SIDE, CLASSES = 16, 4


def classifier():
    return tf.keras.Sequential(
        [
            tf.keras.Input((SIDE, SIDE, 1)),
            tf.keras.layers.Conv2D(8, 3, activation="relu"),
            tf.keras.layers.GlobalAveragePooling2D(),
            tf.keras.layers.Dense(CLASSES),
        ]
    )


def score_of(model, picture, number):
    return model(picture, training=False)[:, number]


def saliency(model, picture, number):
    picture = tf.convert_to_tensor(picture[None])
    with tf.GradientTape() as tape:
        tape.watch(picture)
        score = score_of(model, picture, number)
    gradient = tape.gradient(score, picture)
    strength = tf.reduce_max(tf.abs(gradient), axis=-1)[0]
    return (strength / tf.reduce_max(strength)).numpy()


def main():
    rng = np.random.default_rng(8)
    model = classifier()
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    pictures = rng.random((40, SIDE, SIDE, 1)).astype("float32")
    model.fit(pictures, rng.integers(0, CLASSES, 40), epochs=1, verbose=0)
    for picture in pictures[:2]:
        print(saliency(model, picture, 1).mean())


main()
