import os
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import tensorflow as tf

SIZE = (48, 64)


def collected(where, kind, count, seed):
    """Photographs of any size with a mask for each."""
    draw = np.random.default_rng(seed)
    pictures, masks = [], []
    for number in range(count):
        high, wide = draw.integers(50, 90, 2)
        picture = draw.integers(0, 255, (high, wide, 3), dtype="uint8")
        mask = (picture[..., :1] > 128).astype("uint8") * 255
        stem = os.path.join(where, f"{kind}_{number}")
        tf.io.write_file(stem + "_picture.png", tf.io.encode_png(picture))
        tf.io.write_file(stem + "_mask.png", tf.io.encode_png(mask))
        pictures.append(stem + "_picture.png")
        masks.append(stem + "_mask.png")
    return pictures, masks


def parse(picture, mask):
    picture = tf.io.decode_png(tf.io.read_file(picture), channels=3)
    mask = tf.io.decode_png(tf.io.read_file(mask), channels=1)
    return tf.cast(picture, tf.float32) / 255.0, tf.cast(mask, tf.float32) / 255.0


def resize(picture, mask):
    return tf.image.resize(picture, SIZE), tf.image.resize(mask, SIZE, method="nearest")


def flip(picture, mask):
    chosen = tf.random.uniform(()) < 0.5
    return (
        tf.cond(chosen, lambda: tf.image.flip_left_right(picture), lambda: picture),
        tf.cond(chosen, lambda: tf.image.flip_left_right(mask), lambda: mask),
    )


def batches(paths, batch, augment=False):
    data = tf.data.Dataset.from_tensor_slices(paths).map(parse)
    if augment:
        data = data.map(resize).map(flip).shuffle(16)  # <- cause
    return data.batch(batch)


def network():
    model = keras.Sequential([keras.Input((*SIZE, 3))])
    model.add(keras.layers.Conv2D(8, 3, padding="same", activation="relu"))
    model.add(keras.layers.Conv2D(1, 1, activation="sigmoid"))
    model.compile("adam", "binary_crossentropy")
    return model


def main():
    with tempfile.TemporaryDirectory() as where:
        train = batches(collected(where, "train", 24, 1), 4, augment=True)
        validation = batches(collected(where, "validation", 8, 2), 4)
        model = network()
        model.fit(train, epochs=1, verbose=2)
        print("validation", model.evaluate(validation, verbose=0))


main()
