import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf

SETTINGS = {"side": 96, "faces": 40, "people": 5, "batch": 8, "epochs": 1}


def faces(side, count, people, seed=3):
    draw = np.random.default_rng(seed)
    names = draw.integers(0, people, count)
    base = draw.uniform(0, 255, (people, side, side, 3))
    return (base[names] + draw.normal(0, 12, (count, side, side, 3))).clip(0, 255).astype("float32"), names


def augmentation(images):
    generator = tf.keras.preprocessing.image.ImageDataGenerator(
        rotation_range=15,
        horizontal_flip=True,
        zca_whitening=True,  # <- cause
    )
    generator.fit(images)  # <- cause
    return generator


def classifier(side, people):
    return tf.keras.Sequential(
        [
            tf.keras.Input((side, side, 3)),
            tf.keras.layers.Conv2D(8, 3, strides=2, activation="relu"),
            tf.keras.layers.GlobalAveragePooling2D(),
            tf.keras.layers.Dense(people, activation="softmax"),
        ]
    )


def main():
    images, names = faces(SETTINGS["side"], SETTINGS["faces"], SETTINGS["people"])
    images /= 255.0
    generator = augmentation(images)
    network = classifier(SETTINGS["side"], SETTINGS["people"])
    network.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    network.fit(generator.flow(images, names, batch_size=SETTINGS["batch"]), epochs=SETTINGS["epochs"], verbose=2)


main()
