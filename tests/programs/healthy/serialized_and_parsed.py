"""The twin of serialized_read_as_raw: what was serialized is parsed."""

import os
import tempfile

import numpy as np
import tensorflow as tf

path = os.path.join(tempfile.mkdtemp(), "roofs.tfrecord")


def bytes_feature(value):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))


with tf.io.TFRecordWriter(path) as writer:
    for _ in range(3):
        patch = np.ones((7, 5, 3), "float32")
        fields = {"patch": bytes_feature(tf.io.serialize_tensor(patch).numpy())}
        writer.write(tf.train.Example(features=tf.train.Features(feature=fields)).SerializeToString())


def read(record):
    item = tf.io.parse_single_example(record, {"patch": tf.io.FixedLenFeature([], tf.string)})
    patch = tf.io.parse_tensor(item["patch"], tf.float32)
    return tf.reshape(patch, (7, 5, 3))


for patch in tf.data.TFRecordDataset(path).map(read):
    print(patch.shape)
