import tensorflow as tf
from make_records import DEPTH, HEIGHT, WIDTH

SHAPE = [DEPTH, HEIGHT, WIDTH, 1]


def decode_record(serialized):
    keys = {
        'lowfreq': tf.io.FixedLenFeature([], tf.string),
        'highfreq': tf.io.FixedLenFeature([], tf.string),
        'label': tf.io.FixedLenFeature([], tf.string),
    }
    parsed = tf.io.parse_single_example(serialized, keys)

    lo = tf.io.decode_raw(parsed['lowfreq'], tf.int16)
    lo = tf.reshape(lo, SHAPE)
    lo = tf.cast(lo, tf.float32)

    hi = tf.io.decode_raw(parsed['highfreq'], tf.int16)
    hi = tf.reshape(hi, SHAPE)
    hi = tf.cast(hi, tf.float32)

    label = tf.io.decode_raw(parsed['label'], tf.uint8)
    label = tf.reshape(label, SHAPE)
    label = tf.cast(label, tf.float32)

    x = tf.concat([lo, hi], axis=-1)
    mean = tf.reduce_mean(x, axis=[0, 1, 2], keepdims=True)
    std = tf.math.reduce_std(x, axis=[0, 1, 2], keepdims=True)
    return (x - mean) / std, label


def make_dataset(files, training, batch_size, epochs=1):
    ds = tf.data.TFRecordDataset(files)
    if training:
        ds = ds.shuffle(64).repeat(epochs)
    ds = ds.map(decode_record, num_parallel_calls=2)
    return ds.batch(batch_size).prefetch(1)
