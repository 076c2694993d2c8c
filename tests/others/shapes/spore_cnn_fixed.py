"""Classify microscope crops of spores; crops come in several sizes."""
import numpy as np
import tensorflow as tf

CLASSES = ["round", "oval", "spiky"]
SIZES = [24, 32, 40]


def crops(size, n, rng):
    label = rng.integers(0, len(CLASSES), n)
    yy, xx = np.mgrid[0:size, 0:size] / size - 0.5
    images = np.empty((n, size, size, 1), "float32")
    for i, k in enumerate(label):
        stretch = (1.0, 2.2, 1.0)[k]
        r = np.sqrt(xx**2 + stretch * yy**2)
        if k == 2:
            r = r + 0.05 * np.cos(9 * np.arctan2(yy, xx))
        images[i, ..., 0] = (r < 0.3) + rng.normal(0, 0.1, (size, size))
    return images, label.astype("int32")


def by_size(batches_per_size, batch, seed):
    rng = np.random.default_rng(seed)
    plan = [s for s in SIZES for _ in range(batches_per_size)]
    rng.shuffle(plan)
    for size in plan:
        yield crops(size, batch, rng)


def spore_net(n_classes, width=8):
    image = tf.keras.Input(shape=(None, None, 1), name="crop")
    x = tf.keras.layers.Conv2D(width, 3, padding="same", activation="relu")(image)
    x = tf.keras.layers.MaxPooling2D()(x)
    x = tf.keras.layers.Conv2D(width * 2, 3, padding="same", activation="relu")(x)
    x = tf.keras.layers.MaxPooling2D()(x)
    x = tf.keras.layers.GlobalMaxPooling2D()(x)
    x = tf.keras.layers.Dense(32, activation="relu")(x)
    out = tf.keras.layers.Dense(n_classes, activation="softmax")(x)
    return tf.keras.Model(image, out)


def main():
    tf.keras.utils.set_random_seed(2)
    net = spore_net(len(CLASSES))
    net.compile(optimizer=tf.keras.optimizers.Adam(0.01), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    for epoch in range(3):
        for x, y in by_size(12, 16, seed=epoch):
            loss, acc = net.train_on_batch(x, y)
        print(f"epoch {epoch + 1}: loss {loss:.3f} accuracy {acc:.3f}")
    x, y = crops(32, 30, np.random.default_rng(77))
    print("check:", net.evaluate(x, y, verbose=0))


if __name__ == "__main__":
    main()
