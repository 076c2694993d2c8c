import argparse
import os
import shlex

import tensorflow as tf

from pose_data import FrameReader, load_frames

TRAIN_CMD = os.environ.get("TRAIN_CMD", "--batch_size 8 --max_epochs 2 --lr 0.001")


def parse_args(argv):
    parser = argparse.ArgumentParser(description="Training codes for the pose regressor")
    parser.add_argument("--checkpoint_path", type=str, default="checkpoints/train/")
    parser.add_argument("--input_height", type=int, default=24)
    parser.add_argument("--input_width", type=int, default=24)
    parser.add_argument("--n_joints", type=int, default=5)
    parser.add_argument("--n_frames", type=int, default=48)
    parser.add_argument("--loss_func", type=str, default="l2")
    parser.add_argument("--batch_size", type=str, default=10)  # <- cause
    parser.add_argument("--max_epochs", type=int, default=5)
    parser.add_argument("--lr", type=float, default=1e-4)
    return parser.parse_args(argv)


def build_net(args):
    return tf.keras.Sequential([
        tf.keras.Input(shape=(args.input_height, args.input_width, 3)),
        tf.keras.layers.Conv2D(8, 3, strides=2, activation="relu"),
        tf.keras.layers.Conv2D(16, 3, strides=2, activation="relu"),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(args.n_joints * 2),
    ])


def train(args):
    frames, joints = load_frames(args.n_frames, args.input_height, args.input_width, args.n_joints)
    reader = FrameReader(frames, joints, args.batch_size)
    net = build_net(args)
    optimizer = tf.keras.optimizers.Adam(args.lr)

    for epoch in range(args.max_epochs):
        total = 0.0
        for images, targets in reader.batches():
            with tf.GradientTape() as tape:
                error = net(images, training=True) - targets
                loss = tf.reduce_mean(tf.square(error) if args.loss_func == "l2" else tf.abs(error))
            grads = tape.gradient(loss, net.trainable_variables)
            optimizer.apply_gradients(zip(grads, net.trainable_variables))
            total += float(loss)
        print("epoch %d loss %.4f" % (epoch, total / reader.steps()))


if __name__ == "__main__":
    args = parse_args(shlex.split(TRAIN_CMD))
    print(args)
    train(args)
