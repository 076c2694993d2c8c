import os
import struct
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

NUM_CLASSES = 5
IMAGE_SIZE = 12
IMAGE_PIXELS = IMAGE_SIZE * IMAGE_SIZE * 1  # <- cause


def write_pictures(folder, seed=6):
    draw = np.random.default_rng(seed)
    lines = []
    for number in range(60):
        path = os.path.join(folder, f"{number}.bmp")
        picture = draw.integers(0, 255, (IMAGE_SIZE, IMAGE_SIZE, 3), "uint8")
        header = struct.pack("<2sIHHI", b"BM", 54 + picture.size, 0, 0, 54)
        header += struct.pack("<IiiHHIIiiII", 40, IMAGE_SIZE, IMAGE_SIZE, 1, 24, 0, picture.size, 0, 0, 0, 0)
        with open(path, "wb") as file:
            file.write(header + picture.tobytes())
        lines.append(f"{path},{number % NUM_CLASSES}")
    with open(os.path.join(folder, "train.txt"), "w") as file:
        file.write("\n".join(lines))


def imread(path):
    """The pixels of an uncompressed picture, as blue, green and red."""
    with open(path, "rb") as file:
        return np.frombuffer(file.read()[54:], "uint8").reshape(IMAGE_SIZE, IMAGE_SIZE, 3)


def read(list_file):
    images, labels = [], []
    with open(list_file) as file:
        for line in file:
            path, label = line.rstrip().split(",")
            img = imread(path)  # <- cause
            images.append(img.flatten().astype(np.float32) / 255.0)
            labels.append(np.eye(NUM_CLASSES)[int(label)])
    return np.asarray(images), np.asarray(labels)


def inference(images):
    weights = tf.Variable(tf.truncated_normal([IMAGE_PIXELS, NUM_CLASSES], stddev=0.1))
    return tf.matmul(images, weights) + tf.Variable(tf.zeros([NUM_CLASSES]))


def run():
    with tempfile.TemporaryDirectory() as folder:
        write_pictures(folder)
        train_image, train_label = read(os.path.join(folder, "train.txt"))
    images = tf.placeholder(tf.float32, shape=(None, IMAGE_PIXELS))
    labels = tf.placeholder(tf.float32, shape=(None, NUM_CLASSES))
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=inference(images)))
    train_op = tf.train.AdamOptimizer(1e-3).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(0, len(train_image), 20):
            feed = {images: train_image[step : step + 20], labels: train_label[step : step + 20]}
            print("loss", sess.run([train_op, loss], feed)[1])


if __name__ == "__main__":
    run()
