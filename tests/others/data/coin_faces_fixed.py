import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf

SIDE, COINS = 20, 4


def turn(picture, label):
    """Turns a picture by a random number of quarters, as NumPy can."""
    return np.rot90(picture, np.random.randint(4)).astype("float32"), label


def augment(picture, label):
    picture, label = tf.numpy_function(turn, [picture, label], [tf.float32, tf.int64])
    picture.set_shape((SIDE, SIDE, 1))
    label.set_shape(())
    return picture, label


def coins(count, seed=19):
    draw = np.random.default_rng(seed)
    labels = draw.integers(0, COINS, count)
    pictures = draw.random((count, SIDE, SIDE, 1)) + labels[:, None, None, None]
    return tf.data.Dataset.from_tensor_slices((pictures.astype("float32"), labels))


class CoinNet(tf.keras.Model):
    def __init__(self, classes):
        super().__init__()
        self.features = tf.keras.layers.Conv2D(8, 3, activation="relu")
        self.pool = tf.keras.layers.GlobalMaxPooling2D()
        self.out = tf.keras.layers.Dense(classes, activation="softmax")

    def call(self, pictures):
        return self.out(self.pool(self.features(pictures)))


def main():
    train = coins(128).map(augment).batch(16)
    model = CoinNet(COINS)
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit(train, epochs=1, verbose=2)


main()
