"""Sentence classifier with filters of several widths, pooled over time and joined."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

FLAGS = {"sentence_words": 14, "vector_length": 10, "filter_sizes": [2, 3, 4], "num_filters": 6, "num_classes": 2}


class SentenceCNN:
    def build_model(self, sentence_words, vector_length, num_classes, filter_sizes, num_filters):
        self.x = tf.placeholder(tf.float32, [None, sentence_words, vector_length], name="input_x")
        self.y = tf.placeholder(tf.float32, [None, num_classes], name="input_y")
        expanded = tf.expand_dims(self.x, -1)

        pooled_outputs = []
        for size in filter_sizes:
            with tf.name_scope(f"conv-maxpool-{size}"):
                w = tf.Variable(tf.truncated_normal([size, vector_length, 1, num_filters], stddev=0.1))
                b = tf.Variable(tf.constant(0.1, shape=[num_filters]))
                conv = tf.nn.conv2d(expanded, w, strides=[1, 1, 1, 1], padding="VALID")
                h = tf.nn.relu(tf.nn.bias_add(conv, b))
                pool = [1, sentence_words - size + 1, 1, 1]
                pooled_outputs.append(tf.nn.max_pool(h, ksize=pool, strides=[1, 1, 1, 1], padding="VALID"))

        total = num_filters * len(filter_sizes)
        h_pool = tf.concat(3, pooled_outputs)  # <- cause
        flat = tf.reshape(h_pool, [-1, total])
        w = tf.Variable(tf.truncated_normal([total, num_classes], stddev=0.1))
        self.scores = tf.matmul(flat, w)
        self.loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(logits=self.scores, labels=self.y))
        self.train_op = tf.train.AdamOptimizer(1e-3).minimize(self.loss)

    def train(self, batches):
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for x, y in batches:
                _, loss = sess.run([self.train_op, self.loss], {self.x: x, self.y: y})
        return loss


def sentences(batches, size=32):
    rng = np.random.default_rng(7)
    for _ in range(batches):
        x = rng.normal(size=(size, FLAGS["sentence_words"], FLAGS["vector_length"]))
        yield x, np.eye(2)[(x.mean(axis=(1, 2)) > 0).astype(int)]


if __name__ == "__main__":
    print("building model...")
    model = SentenceCNN()
    model.build_model(**FLAGS)
    print("loss", model.train(sentences(8)))
