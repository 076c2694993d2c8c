"""turns the (synthetic) side-scan sonar volumes into tfrecords, one Example per volume"""
import numpy as np
import tensorflow as tf

DEPTH, HEIGHT, WIDTH = 6, 24, 20


def fake_scan(rng):
    base = rng.normal(300, 40, (DEPTH, HEIGHT, WIDTH))
    grad = np.linspace(0, 120, HEIGHT)[None, :, None]
    lo = (base + grad)
    hi = base * 0.7 + rng.normal(0, 15, base.shape)
    seg = np.zeros(base.shape, dtype=np.int16)
    z, y, x = rng.randint(0, 3), rng.randint(2, 12), rng.randint(2, 10)
    seg[z:z + 3, y:y + 8, x:x + 8] = 1
    lo[seg == 1] += 250
    hi[seg == 1] -= 180
    return lo.astype(np.int16), hi.astype(np.int16), seg


def _bytes_feature(value):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))


def write_records(path, n, seed=0):
    rng = np.random.RandomState(seed)
    with tf.io.TFRecordWriter(path) as writer:
        for i in range(n):
            lo, hi, label = fake_scan(rng)
            if i == 0:
                print('volume', lo.shape, 'label voxels', int(label.sum()))
            example = tf.train.Example(features=tf.train.Features(feature={
                'lowfreq': _bytes_feature(lo.tobytes()),
                'highfreq': _bytes_feature(hi.tobytes()),
                'label': _bytes_feature(label.tobytes()),  # <- cause
            }))
            writer.write(example.SerializeToString())
    return path
