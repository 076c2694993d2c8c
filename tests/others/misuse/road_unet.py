"""Road segmentation, small encoder/decoder."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf

HEIGHT, WIDTH, CHANNELS = 32, 48, 3


def make_roads(n=24, seed=14):
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 0.3, (n, HEIGHT, WIDTH, CHANNELS)).astype("float32")
    y = np.zeros((n, HEIGHT, WIDTH, 1), "float32")
    for i in range(n):
        left = int(rng.integers(5, WIDTH - 12))
        x[i, :, left:left + 6] += 0.6
        y[i, :, left:left + 6] = 1.0
    return x, y


def conv_pair(x, filters, rate):
    x = tf.keras.layers.Conv2D(filters, (3, 3), activation="relu",
                               kernel_initializer="he_normal", padding="same")(x)
    x = tf.keras.layers.Dropout(rate)(x)
    return tf.keras.layers.Conv2D(filters, (3, 3), activation="relu",
                                  kernel_initializer="he_normal", padding="same")(x)


def unet():  # <- cause
    inputs = tf.keras.layers.Input((HEIGHT, WIDTH, CHANNELS))
    c1 = conv_pair(inputs, 4, 0.1)
    p1 = tf.keras.layers.MaxPooling2D((2, 2))(c1)
    c2 = conv_pair(p1, 8, 0.1)
    p2 = tf.keras.layers.MaxPooling2D((2, 2))(c2)

    c3 = conv_pair(p2, 16, 0.2)

    u4 = tf.keras.layers.Conv2DTranspose(8, (2, 2), strides=(2, 2), padding="same")(c3)
    u4 = tf.keras.layers.concatenate([u4, c2])
    c4 = conv_pair(u4, 8, 0.1)
    u5 = tf.keras.layers.Conv2DTranspose(4, (2, 2), strides=(2, 2), padding="same")(c4)
    u5 = tf.keras.layers.concatenate([u5, c1])
    c5 = conv_pair(u5, 4, 0.1)

    outputs = tf.keras.layers.Conv2D(1, (1, 1), activation="sigmoid")(c5)
    model = tf.keras.Model(inputs=[inputs], outputs=[outputs])
    model.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])  # <- cause
    model.summary()  # <- cause


class Trainer:
    def __init__(self, builder, batch_size=8):
        self.builder = builder
        self.batch_size = batch_size
        self.model = None

    def run(self, x, y, epochs=2):
        self.model = self.builder()
        callbacks = [tf.keras.callbacks.EarlyStopping(patience=2, monitor="val_loss")]
        return self.model.fit(x, y, validation_split=0.25, batch_size=self.batch_size,
                              epochs=epochs, callbacks=callbacks, verbose=2)


def main():
    tf.keras.utils.set_random_seed(14)
    x, y = make_roads()
    history = Trainer(unet).run(x, y)
    print("final loss %.3f" % history.history["loss"][-1])


if __name__ == "__main__":
    main()
