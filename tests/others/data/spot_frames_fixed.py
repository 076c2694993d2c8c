import numpy as np
import tensorflow as tf

rng = np.random.default_rng(2)
frames = rng.integers(0, 255, size=(24, 12, 12)).astype(np.uint8)
kinds = rng.integers(0, 3, size=24)


def stretch(arr):
    lo, hi = np.percentile(arr, (5, 95))
    out = np.clip((arr.astype(np.float32) - lo) / (hi - lo + 1e-6), 0.0, 1.0)
    return out.astype(np.float32)


def prepare(frame, kind):
    arr = frame.numpy()
    img = stretch(arr)
    img = img[..., np.newaxis]
    return img, kind


def wrapped(frame, kind):
    img, kind = tf.py_function(prepare, [frame, kind], [tf.float32, tf.int64])
    img.set_shape((12, 12, 1))
    kind.set_shape(())
    return img, kind


dataset = tf.data.Dataset.from_tensor_slices((frames, kinds))

for frame, kind in dataset.take(2):
    print(frame.numpy().mean(), kind.numpy())

dataset = dataset.map(wrapped)
dataset = dataset.shuffle(24).batch(8)

model = tf.keras.Sequential([
    tf.keras.layers.Input((12, 12, 1)),
    tf.keras.layers.Conv2D(4, 3, activation='relu'),
    tf.keras.layers.GlobalAveragePooling2D(),
    tf.keras.layers.Dense(3),
])
model.compile('adam', tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(dataset, epochs=2, verbose=2)
