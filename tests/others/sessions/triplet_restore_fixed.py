"""Trains a small embedding network with a triplet loss, saves the graph, and embeds pictures with the restored one."""
import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

N_FEATS = 8
SIDE = 12


class SmallNet:
    def __init__(self, n_feats):
        self.n_feats = n_feats

    def dense(self, net, units, name):
        with tf.variable_scope(name):
            w = tf.get_variable("kernel", [net.shape[-1], units], initializer=tf.glorot_uniform_initializer())
            b = tf.get_variable("bias", [units], initializer=tf.zeros_initializer())
            return tf.nn.bias_add(tf.matmul(net, w), b)

    def __call__(self, images, reuse=False):
        with tf.variable_scope("smallnet", reuse=reuse):
            net = tf.reshape(images, [-1, SIDE * SIDE])
            net = tf.nn.relu(self.dense(net, 32, "fc0"))
            return self.dense(net, self.n_feats, "fc1")


def pictures(count, seed):
    rng = np.random.RandomState(seed)
    labels = rng.randint(0, 3, count)
    images = rng.rand(count, SIDE, SIDE).astype("float32") * 0.3
    for i, label in enumerate(labels):
        images[i, label * 4:label * 4 + 4] += 0.7
    return images, labels


def triplets(images, labels, count, rng):
    anchors, positives, negatives = [], [], []
    for _ in range(count):
        a = rng.randint(len(images))
        p = rng.choice(np.where(labels == labels[a])[0])
        n = rng.choice(np.where(labels != labels[a])[0])
        anchors.append(images[a])
        positives.append(images[p])
        negatives.append(images[n])
    return np.array(anchors), np.array(positives), np.array(negatives)


def train(path):
    graph = tf.Graph()
    with graph.as_default():
        anchor = tf.placeholder(tf.float32, [None, SIDE, SIDE], name="anchor")
        positive = tf.placeholder(tf.float32, [None, SIDE, SIDE], name="positive")
        negative = tf.placeholder(tf.float32, [None, SIDE, SIDE], name="negative")
        net = SmallNet(N_FEATS)
        a, p, n = net(anchor), net(positive, reuse=True), net(negative, reuse=True)
        gap = tf.reduce_sum(tf.square(a - p), 1) - tf.reduce_sum(tf.square(a - n), 1)
        loss = tf.reduce_mean(tf.nn.relu(gap + 0.5))
        step = tf.train.AdamOptimizer(0.01).minimize(loss)
        saver = tf.train.Saver()
        images, labels = pictures(120, 0)
        rng = np.random.RandomState(1)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for i in range(30):
                x, y, z = triplets(images, labels, 32, rng)
                value, _ = sess.run([loss, step], {anchor: x, positive: y, negative: z})
            print("last loss %.4f" % value)
            return saver.save(sess, path)


def embed(checkpoint):
    graph_restore = tf.Graph()
    with graph_restore.as_default(), tf.Session() as sess:
        saver = tf.train.import_meta_graph(checkpoint + ".meta")
        saver.restore(sess, checkpoint)
        image_input = graph_restore.get_tensor_by_name("anchor:0")
        features = graph_restore.get_tensor_by_name("smallnet/fc1/BiasAdd:0")
        images, _ = pictures(10, 5)
        return sess.run(features, {image_input: images})


if __name__ == "__main__":
    saved = train(os.path.join(tempfile.mkdtemp(), "model.ckpt"))
    print("embeddings:", embed(saved).shape)
