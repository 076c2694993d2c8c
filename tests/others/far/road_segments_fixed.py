import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

NUM_CLASSES = 2
SIDE = 24


class BatchReader:
    """Pictures of roads and their masks, kept in memory."""

    def __init__(self, count, seed=9):
        draw = np.random.default_rng(seed)
        self.at = 0
        self.pictures = draw.random((count, SIDE, SIDE, 3)).astype("float32")
        self.masks = np.stack([self._read_mask(draw) for _ in range(count)])

    def _read_mask(self, draw):
        drawn = np.zeros((SIDE, SIDE), "uint8")
        left = draw.integers(2, SIDE - 8)
        drawn[:, left : left + 6] = 255
        return (drawn // 255)[..., None].astype("int32")

    def next_batch(self, size):
        if self.at + size > len(self.pictures):
            self.at = 0
        rows = slice(self.at, self.at + size)
        self.at += size
        return self.pictures[rows], self.masks[rows]


def convolved(inputs, filters, size, name):
    with tf.variable_scope(name):
        w = tf.get_variable("w", (size, size, inputs.shape[-1], filters))
        b = tf.get_variable("b", (filters,), initializer=tf.zeros_initializer())
        return tf.nn.bias_add(tf.nn.conv2d(inputs, w, 1, "SAME"), b)


def inference(picture):
    hidden = tf.nn.relu(convolved(picture, 8, 3, "first"))
    hidden = tf.nn.relu(convolved(hidden, 8, 3, "second"))
    logits = convolved(hidden, NUM_CLASSES, 1, "score")
    return tf.argmax(logits, 3), logits


def main():
    picture = tf.placeholder(tf.float32, (None, SIDE, SIDE, 3), "picture")
    annotation = tf.placeholder(tf.int32, (None, SIDE, SIDE, 1), "annotation")
    _, logits = inference(picture)
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.squeeze(annotation, [3]), logits=logits)
    )
    step = tf.train.AdamOptimizer(1e-3).minimize(loss)
    reader = BatchReader(32)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for iteration in range(10):
            pictures, masks = reader.next_batch(4)
            _, value = sess.run([step, loss], {picture: pictures, annotation: masks})
            print("step", iteration, "loss", value, flush=True)


main()
