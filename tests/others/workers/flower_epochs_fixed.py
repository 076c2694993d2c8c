import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf

SIDE, CLASSES, BATCH = 24, 5, 16


def flowers(count, seed=1):
    draw = np.random.default_rng(seed)
    labels = draw.integers(0, CLASSES, count)
    pictures = draw.uniform(0, 100, (count, SIDE, SIDE, 3)) + labels[:, None, None, None] * 30
    return pictures.astype("float32"), tf.keras.utils.to_categorical(labels, CLASSES)


def augmented(pictures, labels):
    """The augmented pictures as a data set."""
    generator = tf.keras.preprocessing.image.ImageDataGenerator(rescale=1 / 255, horizontal_flip=True)
    flow = generator.flow(pictures, labels, batch_size=BATCH)

    def batches():
        while True:
            yield next(flow)

    signature = (
        tf.TensorSpec((None, SIDE, SIDE, 3), tf.float32),
        tf.TensorSpec((None, CLASSES), tf.float32),
    )
    return tf.data.Dataset.from_generator(batches, output_signature=signature)


def model():
    network = tf.keras.Sequential(
        [
            tf.keras.Input((SIDE, SIDE, 3)),
            tf.keras.layers.Conv2D(8, 3, activation="relu"),
            tf.keras.layers.MaxPooling2D(),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(CLASSES, activation="softmax"),
        ]
    )
    network.compile("adam", "categorical_crossentropy", metrics=["accuracy"])
    return network


def main():
    pictures, labels = flowers(200)
    data = augmented(pictures, labels)
    network = model()
    network.fit(data, steps_per_epoch=len(pictures) // BATCH, epochs=3, verbose=2)
    print("trained", network.count_params())


main()
