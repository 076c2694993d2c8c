import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import multiprocessing.pool
import threading
import time

import numpy as np
import tensorflow as tf

SIDE, PICTURES, SHARD = 512, 400, 64


def scans(count, room):
    """Reads scans one after another; stands for a large archive."""
    for number in range(count):
        room.acquire()
        yield number, np.full((SIDE, SIDE), number % 251, "float32")


def prepare(item):
    number, scan = item
    low = scan.reshape(SIDE // 8, 8, SIDE // 8, 8).mean((1, 3))
    time.sleep(0.02)
    return number, low - low.mean()


def example(number, scan):
    values = tf.train.Feature(float_list=tf.train.FloatList(value=scan.ravel()))
    label = tf.train.Feature(int64_list=tf.train.Int64List(value=[number % 10]))
    return tf.train.Example(features=tf.train.Features(feature={"scan": values, "label": label})).SerializeToString()


def write_shards(folder):
    writer, written = None, 0
    room = threading.Semaphore(16)
    with multiprocessing.pool.ThreadPool(2) as pool:
        for number, scan in pool.imap(prepare, scans(PICTURES, room)):
            if written % SHARD == 0:
                writer = tf.io.TFRecordWriter(os.path.join(folder, f"part-{written // SHARD:03}"))
            writer.write(example(number, scan))
            written += 1
            room.release()
    return written


def main():
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        print("written", write_shards(folder))


main()
