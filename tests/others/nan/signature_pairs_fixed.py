import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, ops

tf.keras.utils.set_random_seed(17)
rng = np.random.default_rng(17)

N_WRITERS = 12
PER_WRITER = 10
DIM = 20

style = rng.normal(size=(N_WRITERS, DIM))
writers = np.repeat(np.arange(N_WRITERS), PER_WRITER)
signatures = style[writers] + 0.3 * rng.normal(size=(len(writers), DIM))
signatures[rng.random(len(writers)) < 0.1] = 0.0
signatures = signatures.astype("float32")

left, right, same = [], [], []
for i in range(len(writers)):
    for j in rng.integers(0, len(writers), size=6):
        left.append(signatures[i])
        right.append(signatures[j])
        same.append(float(writers[i] == writers[j]))
    mates = np.flatnonzero(writers == writers[i])
    for j in rng.choice(mates, size=4):
        left.append(signatures[i])
        right.append(signatures[j])
        same.append(1.0)
left, right = np.array(left), np.array(right)
same = np.array(same, dtype="float32")[:, None]


def euclidean_distance(pair):
    a, b = pair
    squared = ops.sum(ops.square(a - b), axis=1, keepdims=True)
    return ops.sqrt(ops.maximum(squared, tf.keras.backend.epsilon()))


def contrastive_loss(y_true, distance, margin=1.0):
    near = y_true * ops.square(distance)
    far = (1.0 - y_true) * ops.square(ops.maximum(margin - distance, 0.0))
    return ops.mean(near + far)


tower = tf.keras.Sequential(
    [layers.Input(shape=(DIM,)), layers.Dense(24, activation="relu"), layers.Dense(8)],
    name="tower",
)
in_a = layers.Input(shape=(DIM,), name="a")
in_b = layers.Input(shape=(DIM,), name="b")
distance = layers.Lambda(euclidean_distance, output_shape=(1,))([tower(in_a), tower(in_b)])

siamese = tf.keras.Model([in_a, in_b], distance)
siamese.compile(optimizer="rmsprop", loss=contrastive_loss)
siamese.fit([left, right], same, epochs=2, batch_size=64, verbose=2)

measured = siamese.predict([left, right], verbose=0)[:, 0]
threshold = float(np.median(measured))
agreement = np.mean((measured < threshold) == (same[:, 0] > 0.5))
assert np.isfinite(measured).all(), "network returns nan distances"
print("threshold %.3f, agreement %.3f" % (threshold, agreement))
