"""Polyp segmentation with a dice loss."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf
from tensorflow.keras.layers import Add, BatchNormalization, Conv2D, Flatten, Input

IMAGE_SIZE = 32


def write_samples(folder, n=24, seed=30):
    rng = np.random.default_rng(seed)
    yy, xx = np.mgrid[:IMAGE_SIZE, :IMAGE_SIZE]
    for i in range(n):
        cy, cx = rng.integers(8, 24, 2)
        disc = ((yy - cy) ** 2 + (xx - cx) ** 2 < 30)
        image = rng.integers(0, 80, (IMAGE_SIZE, IMAGE_SIZE, 3)) + disc[..., None] * 120
        mask = np.repeat(disc[..., None] * 255, 3, axis=-1)
        np.save(os.path.join(folder, "img_%02d.npy" % i), image.astype("uint8"))
        np.save(os.path.join(folder, "mask_%02d.npy" % i), mask.astype("uint8"))


class DataGen(tf.keras.utils.Sequence):
    def __init__(self, folder, ids, batch_size=8, **kwargs):
        super().__init__(**kwargs)
        self.folder = folder
        self.ids = ids
        self.batch_size = batch_size

    def parse_image(self, index):
        return np.load(os.path.join(self.folder, "img_%02d.npy" % index)) / 255.0

    def parse_mask(self, index):
        mask = np.load(os.path.join(self.folder, "mask_%02d.npy" % index))
        return (mask[..., :1] > 127).astype("float32")

    def __len__(self):
        return len(self.ids) // self.batch_size

    def __getitem__(self, i):
        batch = self.ids[i * self.batch_size:(i + 1) * self.batch_size]
        images = np.stack([self.parse_image(k) for k in batch]).astype("float32")
        masks = np.stack([self.parse_mask(k) for k in batch])
        return images, masks


def dice_coef(y_true, y_pred, smooth=1.0):
    y_true_f = Flatten()(y_true)
    y_pred_f = Flatten()(y_pred)
    intersection = tf.reduce_sum(y_true_f * y_pred_f)
    return (2.0 * intersection + smooth) / (
        tf.reduce_sum(y_true_f) + tf.reduce_sum(y_pred_f) + smooth)


def dice_loss(y_true, y_pred):
    return 1.0 - dice_coef(y_true, y_pred)


def build_model():
    inputs = Input((IMAGE_SIZE, IMAGE_SIZE, 3))
    x = Conv2D(8, 3, padding="same", activation="relu")(inputs)
    y = BatchNormalization()(Conv2D(8, 3, padding="same", activation="relu")(x))
    x = Add()([x, y])
    outputs = Conv2D(1, 1, activation="sigmoid")(x)
    return tf.keras.Model(inputs, outputs)


def main():
    tf.keras.utils.set_random_seed(30)
    folder = "polyp_data"
    os.makedirs(folder, exist_ok=True)
    write_samples(folder)
    train_gen, valid_gen = DataGen(folder, range(16)), DataGen(folder, range(16, 24))
    model = build_model()
    model.compile(loss=dice_loss, optimizer="nadam")
    model.fit(train_gen, validation_data=valid_gen, epochs=2, verbose=2)


if __name__ == "__main__":
    main()
