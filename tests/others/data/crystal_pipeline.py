import os
import tempfile

import numpy as np
import tensorflow as tf

SIZE = 16
KINDS = 3


def write_scans(folder, n, seed=0):
    rng = np.random.default_rng(seed)
    paths, kinds = [], []
    for i in range(n):
        kind = int(rng.integers(0, KINDS))
        scan = rng.normal(0, 0.1, (SIZE, SIZE))
        scan[:: kind + 2, :] += 1.0
        path = os.path.join(folder, f"scan_{i:03d}.npy")
        np.save(path, scan.astype("float32"))
        paths.append(path)
        kinds.append(kind)
    return paths, kinds


def read_scan(path):
    scan = np.load(path.decode())
    scan = (scan - scan.mean()) / (scan.std() + 1e-6)
    return scan[..., None].astype("float32")


def load_pair(path, kind):
    scan = tf.numpy_function(read_scan, [path], tf.float32)  # <- cause
    return scan, kind


def pipeline(paths, kinds, batch=12):
    ds = tf.data.Dataset.from_tensor_slices((paths, kinds))
    ds = ds.shuffle(len(paths), seed=0)
    ds = ds.map(load_pair, num_parallel_calls=2)
    return ds.batch(batch).prefetch(1)


def crystal_net():
    return tf.keras.Sequential(
        [
            tf.keras.layers.Conv2D(8, 3, activation="relu"),
            tf.keras.layers.MaxPooling2D(),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(KINDS, activation="softmax"),
        ]
    )


def main():
    tf.keras.utils.set_random_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        paths, kinds = write_scans(folder, 120)
        train = pipeline(paths[:96], kinds[:96])
        valid = pipeline(paths[96:], kinds[96:])
        net = crystal_net()
        net.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
        net.fit(train, validation_data=valid, epochs=4, verbose=2)


if __name__ == "__main__":
    main()
