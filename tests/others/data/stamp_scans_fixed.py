import os
import glob
import tempfile
import numpy as np
from PIL import Image
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

IMG_H, IMG_W = 48, 48
BATCH = 8
N_CLASSES = 3
EPOCHS = 15


def write_scans(folder, n=48):
    """scans come from two different scanners and are cropped by hand"""
    r = np.random.RandomState(4)
    sub = ['red', 'green', 'blue']
    for k, s in enumerate(sub):
        os.makedirs(os.path.join(folder, s))
        for i in range(n // 3):
            h, w = r.randint(40, 70), r.randint(40, 70)
            img = r.randint(60, 130, (h, w, 3))
            img[h // 4: 3 * h // 4, w // 4: 3 * w // 4, k] += 110
            Image.fromarray(img.clip(0, 255).astype('uint8')).save(os.path.join(folder, s, 'scan_%02d.png' % i))
    return sub


class DataSource(object):
    def __init__(self, folder, classes):
        self.files, self.labels = [], []
        for k, c in enumerate(classes):
            for f in sorted(glob.glob(os.path.join(folder, c, '*.png'))):
                self.files.append(f)
                self.labels.append(k)
        order = np.random.RandomState(0).permutation(len(self.files))
        self.files = [self.files[i] for i in order]
        self.labels = [self.labels[i] for i in order]

    @staticmethod
    def _read(filename, label):
        raw = tf.read_file(filename)
        img = tf.image.decode_png(raw, channels=3)
        img = tf.image.convert_image_dtype(img, tf.float32)
        img = tf.image.resize_images(img, [IMG_H, IMG_W])
        return img, label

    @staticmethod
    def _augment(img, label):
        img = tf.image.random_flip_left_right(img)
        img = tf.image.random_brightness(img, 0.1)
        return img, label

    def batches(self):
        with tf.name_scope('data'):
            ds = tf.data.Dataset.from_tensor_slices((self.files, self.labels))
            ds = ds.map(self._read).map(self._augment)
            ds = ds.shuffle(48).repeat(EPOCHS).batch(BATCH)
            it = tf.data.make_one_shot_iterator(ds)
            return it.get_next()


def conv(x, n, name):
    c = x.get_shape().as_list()[-1]
    with tf.variable_scope(name):
        w = tf.get_variable('w', [3, 3, c, n], initializer=tf.glorot_uniform_initializer())
        b = tf.get_variable('b', [n], initializer=tf.zeros_initializer())
        return tf.nn.relu(tf.nn.conv2d(x, w, [1, 2, 2, 1], 'SAME') + b)


root = tempfile.mkdtemp(prefix='stamps_')
classes = write_scans(root)
source = DataSource(root, classes)
print(len(source.files), 'scans', np.bincount(source.labels))

images, labels = source.batches()
net = conv(images, 8, 'c1')
net = conv(net, 16, 'c2')
net = tf.reduce_mean(net, [1, 2])
w = tf.get_variable('w_out', [16, N_CLASSES])
logits = tf.matmul(net, w)

loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
acc = tf.reduce_mean(tf.cast(tf.equal(tf.cast(tf.argmax(logits, 1), tf.int32), labels), tf.float32))
step = tf.train.AdamOptimizer(0.02).minimize(loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    i = 0
    try:
        while True:
            _, l, a = sess.run([step, loss, acc])
            if i % 15 == 0:
                print('step %d loss %.4f acc %.2f' % (i, l, a))
            i += 1
    except tf.errors.OutOfRangeError:
        print('done after', i, 'steps, last loss %.4f acc %.2f' % (l, a))
