"""YOLO style grid detector on synthetic squares with a warm-up aware loss."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

GRID_H = GRID_W = 4
CELL = 8


def make_scenes(n=48, seed=25):
    rng = np.random.default_rng(seed)
    size = GRID_H * CELL
    images = rng.normal(0, 0.1, (n, size, size, 1)).astype("float32")
    targets = np.zeros((n, GRID_H, GRID_W, 3), "float32")
    for i in range(n):
        cx, cy = rng.uniform(4, size - 4, 2)
        gx, gy = int(cx // CELL), int(cy // CELL)
        images[i, int(cy) - 3:int(cy) + 3, int(cx) - 3:int(cx) + 3, 0] += 1.0
        targets[i, gy, gx] = [cx / CELL, cy / CELL, 1.0]
    return images, targets


class YOLO:
    def __init__(self, grid_h, grid_w, warmup_batches=3):
        self.grid_h = grid_h
        self.grid_w = grid_w
        self.warmup_batches = warmup_batches
        self.coord_scale = 1.0
        self.no_object_scale = 0.5
        self.seen = tf.Variable(0.0, trainable=False)
        self.model = self.build()

    def build(self):
        inputs = layers.Input((self.grid_h * CELL, self.grid_w * CELL, 1))
        x = layers.Conv2D(8, 3, strides=2, padding="same", activation="relu")(inputs)
        x = layers.Conv2D(16, 3, strides=4, padding="same", activation="relu")(x)
        return tf.keras.Model(inputs, layers.Conv2D(3, 1)(x))

    @tf.function
    def custom_loss(self, y_true, y_pred):
        cell_x = tf.cast(tf.reshape(tf.tile(tf.range(self.grid_w), [self.grid_h]),
                                    (1, self.grid_h, self.grid_w, 1)), tf.float32)
        cell_y = tf.transpose(cell_x, (0, 2, 1, 3))
        cell_grid = tf.concat([cell_x, cell_y], -1)

        pred_xy = tf.sigmoid(y_pred[..., :2]) + cell_grid
        pred_conf = tf.sigmoid(y_pred[..., 2])
        true_conf = y_true[..., 2]
        coord_mask = tf.expand_dims(true_conf, -1) * self.coord_scale
        conf_mask = true_conf + (1.0 - true_conf) * self.no_object_scale

        self.seen.assign_add(1.0)
        centre = cell_grid + 0.5
        warm = tf.less(self.seen, self.warmup_batches + 1.0)
        true_xy = tf.where(warm, tf.zeros_like(y_true[..., :2]) + centre, y_true[..., :2])
        coord_mask = tf.where(warm, tf.ones_like(coord_mask), coord_mask)

        loss_xy = tf.reduce_mean(tf.square(true_xy - pred_xy) * coord_mask)
        loss_conf = tf.reduce_mean(tf.square(true_conf - pred_conf) * conf_mask)
        return loss_xy + loss_conf

    def train(self, images, targets, epochs):
        self.model.compile(loss=self.custom_loss, optimizer="adam")
        return self.model.fit(images, targets, batch_size=16, epochs=epochs, verbose=2)


def main():
    tf.keras.utils.set_random_seed(25)
    images, targets = make_scenes()
    yolo = YOLO(GRID_H, GRID_W)
    history = yolo.train(images, targets, epochs=3)
    print("loss %.4f" % history.history["loss"][-1])


if __name__ == "__main__":
    main()
