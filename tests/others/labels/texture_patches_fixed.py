"""A densely connected network for patches of textures."""

import numpy as np
from tensorflow.keras import layers, models, regularizers, utils

NB_CLASSES = 6


def conv_block(x, filters, decay=1e-4):
    x = layers.BatchNormalization()(x)
    x = layers.Activation("relu")(x)
    return layers.Conv2D(filters, 3, padding="same", use_bias=False, kernel_regularizer=regularizers.l2(decay))(x)


def dense_block(x, repeats, growth):
    for _ in range(repeats):
        x = layers.concatenate([x, conv_block(x, growth)])
    return x


def transition(x, reduction):
    filters = int(x.shape[-1] * reduction)
    x = layers.Conv2D(filters, 1, padding="same", use_bias=False)(x)
    return layers.AveragePooling2D(2)(x)


def dense_net(input_shape, classes, blocks=2, repeats=2, growth=6, reduction=0.5):
    image = layers.Input(shape=input_shape)
    x = layers.Conv2D(2 * growth, 3, padding="same", use_bias=False)(image)
    for index in range(blocks):
        x = dense_block(x, repeats, growth)
        if index < blocks - 1:
            x = transition(x, reduction)
    x = layers.BatchNormalization()(x)
    x = layers.Activation("relu")(x)
    x = layers.Flatten()(x)
    x = layers.Dense(classes, activation="softmax")(x)
    return models.Model(image, x, name="dense_net")


def patches(count):
    rng = np.random.default_rng(3)
    kinds = rng.integers(0, NB_CLASSES, count)
    waves = np.arange(16)
    x = np.stack([np.outer(np.sin(waves * (k + 1) / 4), np.cos(waves / (k + 1))) for k in kinds])
    return x[..., None].astype("float32"), utils.to_categorical(kinds, NB_CLASSES)


if __name__ == "__main__":
    x_train, y_train = patches(240)
    x_test, y_test = patches(60)
    model = dense_net((16, 16, 1), NB_CLASSES)
    model.compile(optimizer="adam", loss="categorical_crossentropy", metrics=["accuracy"])
    model.fit(x_train, y_train, batch_size=40, epochs=1, validation_data=(x_test, y_test), verbose=0)
    print(model.evaluate(x_test, y_test, verbose=0))
