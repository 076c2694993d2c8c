"""Segments livers in small slices, then evaluates the best weights on slices that were kept away."""
import os
import tempfile

import numpy as np
import tensorflow as tf

SIDE = 32


def mean_iou(y_true, y_pred):
    guess = tf.cast(y_pred > 0.5, tf.float32)
    inter = tf.reduce_sum(y_true * guess, axis=[1, 2, 3])
    union = tf.reduce_sum(tf.maximum(y_true, guess), axis=[1, 2, 3])
    return tf.reduce_mean((inter + 1.0) / (union + 1.0))


def slices(count, seed):
    rng = np.random.default_rng(seed)
    images = rng.normal(0, 0.3, (count, SIDE, SIDE, 1)).astype("float32")
    labels = np.zeros((count, SIDE, SIDE, 1), "float32")
    for i in range(count):
        x, y = rng.integers(4, 16, 2)
        labels[i, y:y + 12, x:x + 12] = 1
    return images + labels, labels


def unet():
    inputs = tf.keras.Input((SIDE, SIDE, 1))
    down = tf.keras.layers.Conv2D(8, 3, padding="same", activation="relu")(inputs)
    deep = tf.keras.layers.MaxPooling2D()(down)
    deep = tf.keras.layers.Conv2D(16, 3, padding="same", activation="relu")(deep)
    up = tf.keras.layers.UpSampling2D()(deep)
    joined = tf.keras.layers.Concatenate()([down, up])
    outputs = tf.keras.layers.Conv2D(1, 1, activation="sigmoid")(joined)
    return tf.keras.Model(inputs, outputs)


def train(folder):
    model = unet()
    model.compile(optimizer=tf.keras.optimizers.Adam(0.005), loss="binary_crossentropy", metrics=[mean_iou, "acc"])
    best = os.path.join(folder, "unet_best.weights.h5")
    checkpoint = tf.keras.callbacks.ModelCheckpoint(best, monitor="val_loss", save_best_only=True,
                                                    save_weights_only=True)
    images, labels = slices(48, 0)
    model.fit(images, labels, validation_split=0.25, epochs=3, batch_size=12, callbacks=[checkpoint], verbose=2)

    print("start test!")
    model.load_weights(best)
    test_images, test_labels = slices(24, 1)
    loss, iou, acc = model.evaluate(test_images, test_labels, batch_size=8, verbose=0)
    print("loss: %.4f, accuracy: %.4f" % (loss, acc))


if __name__ == "__main__":
    train(tempfile.mkdtemp())
