"""A U-Net for seismic pictures of 101 x 101 pixels whose upsampled half misses a pixel when it is joined to the
other."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers
from tensorflow.keras.models import Model

IMG_HEIGHT = 128
IMG_WIDTH = 128
BATCH = 4


def conv2d_block(tensor, n_filters, kernel_size=3, batchnorm=True):
    for _ in range(2):
        tensor = layers.Conv2D(n_filters, kernel_size, padding="same", kernel_initializer="he_normal")(tensor)
        if batchnorm:
            tensor = layers.BatchNormalization()(tensor)
        tensor = layers.Activation("relu")(tensor)
    return tensor


def get_unet(input_img, n_filters=4, dropout=0.1):
    c1 = conv2d_block(input_img, n_filters)
    p1 = layers.Dropout(dropout)(layers.MaxPooling2D((2, 2))(c1))
    c2 = conv2d_block(p1, n_filters * 2)
    p2 = layers.Dropout(dropout)(layers.MaxPooling2D((2, 2))(c2))
    c3 = conv2d_block(p2, n_filters * 4)
    p3 = layers.Dropout(dropout)(layers.MaxPooling2D((2, 2))(c3))

    c4 = conv2d_block(p3, n_filters * 8)

    u5 = layers.Conv2DTranspose(n_filters * 4, (3, 3), strides=(2, 2), padding="same")(c4)
    u5 = layers.concatenate([u5, c3])
    c5 = conv2d_block(layers.Dropout(dropout)(u5), n_filters * 4)
    u6 = layers.Conv2DTranspose(n_filters * 2, (3, 3), strides=(2, 2), padding="same")(c5)
    u6 = layers.concatenate([u6, c2])
    c6 = conv2d_block(layers.Dropout(dropout)(u6), n_filters * 2)
    u7 = layers.Conv2DTranspose(n_filters, (3, 3), strides=(2, 2), padding="same")(c6)
    u7 = layers.concatenate([u7, c1], axis=3)
    c7 = conv2d_block(layers.Dropout(dropout)(u7), n_filters)

    outputs = layers.Conv2D(1, (1, 1), activation="sigmoid")(c7)
    return Model(inputs=[input_img], outputs=[outputs])


def load_seismic(count, seed=11):
    """Raw pictures as the survey gives them: 101 x 101; they are resized to what the net takes."""
    rng = np.random.default_rng(seed)
    raw = rng.random((count, 101, 101, 1), dtype="float32")
    salt = (raw > 0.6).astype("float32")
    pictures = tf.image.resize(raw, (IMG_HEIGHT, IMG_WIDTH)).numpy()
    masks = tf.image.resize(salt, (IMG_HEIGHT, IMG_WIDTH), method="nearest").numpy()
    return pictures, masks


X, y = load_seismic(6)
X_train, X_valid, y_train, y_valid = X[:4], X[4:], y[:4], y[4:]
input_img = layers.Input((IMG_HEIGHT, IMG_WIDTH, 1), name="img")
model = get_unet(input_img)
model.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])
results = model.fit(X_train, y_train, batch_size=BATCH, epochs=1, validation_data=(X_valid, y_valid), verbose=0)
print("validation loss", round(results.history["val_loss"][-1], 3))
