import numpy as np
import tensorflow as tf


class TileScorer(tf.Module):
    def __init__(self, size, filters):
        super().__init__()
        self.size = size
        self.w = tf.Variable(tf.random.normal([size * size, filters], stddev=0.1, seed=2))

    @tf.function
    def normalised(self, picture):
        tiles = tf.image.extract_patches(
            picture,
            sizes=[1, self.size, self.size, 1],
            strides=[1, self.size, self.size, 1],
            rates=[1, 1, 1, 1],
            padding='VALID')
        s = tf.shape(tiles)
        tiles = tiles - tf.expand_dims(tf.reduce_mean(tiles, axis=3), -1)
        return tf.reshape(tiles, [-1, self.size * self.size])

    def score(self, picture):
        flat = self.normalised(picture)
        return tf.reduce_sum(tf.nn.relu(tf.matmul(flat, self.w)), axis=1)


def load_picture(seed):
    rng = np.random.RandomState(seed)
    return rng.uniform(0, 255, (1, 24, 24, 1)).astype(np.float32)


scorer = TileScorer(size=6, filters=4)
for seed in range(3):
    picture = load_picture(seed)
    scores = scorer.score(tf.constant(picture))
    print(seed, scores.shape, float(tf.reduce_max(scores)))
