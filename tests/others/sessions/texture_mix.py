"""Blend a content picture with a texture by descending on the pixels (TF1 style)."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()

SIDE = 16
CONTENT_WEIGHT = 0.05
TEXTURE_WEIGHT = 1.0
SMOOTH_WEIGHT = 0.1


def load_pictures():
    rng = np.random.default_rng(6)
    ramp = np.linspace(0, 1, SIDE, dtype="float32")
    content = np.broadcast_to(ramp[:, None, None], (SIDE, SIDE, 3)).copy()
    stripes = (np.arange(SIDE) // 2 % 2).astype("float32")
    texture = np.broadcast_to(stripes[None, :, None], (SIDE, SIDE, 3)).copy()
    texture += 0.05 * rng.random(texture.shape).astype("float32")
    return content[None], texture[None]


def gram(picture):
    flat = tf.reshape(picture, (-1, 3))
    return tf.matmul(flat, flat, transpose_a=True) / (SIDE * SIDE)


def content_loss(content, mixed):
    return tf.reduce_sum(tf.square(mixed - content))


def texture_loss(texture, mixed):
    return tf.reduce_sum(tf.square(gram(texture) - gram(mixed)))


def smoothness_loss(mixed):
    down = tf.square(mixed[:, 1:, :-1] - mixed[:, :-1, :-1])
    across = tf.square(mixed[:, :-1, 1:] - mixed[:, :-1, :-1])
    return tf.reduce_sum(tf.pow(down + across + 1e-6, 1.25))


def main():
    content_pixels, texture_pixels = load_pictures()
    content = tf.constant(content_pixels)
    texture = tf.constant(texture_pixels)
    mixed_image = tf.Variable(
        tf.random.uniform((1, SIDE, SIDE, 3), seed=6), name="mixed_image"
    )
    loss = tf.Variable(0.0, name="loss", trainable=False)

    total = loss + CONTENT_WEIGHT * content_loss(content, mixed_image)
    total += TEXTURE_WEIGHT * texture_loss(texture, mixed_image)
    total += SMOOTH_WEIGHT * smoothness_loss(mixed_image)
    step = tf.train.GradientDescentOptimizer(0.02).minimize(total, var_list=[mixed_image])

    init_new_vars = tf.variables_initializer([loss])  # <- cause
    with tf.Session() as session:
        session.run(init_new_vars)
        for turn in range(5):
            for _ in range(10):
                session.run(step)
            print(f"pass {turn + 1}: loss {session.run(total):.4f}")
        result = session.run(mixed_image)
    print("pixels between", round(float(result.min()), 2), "and", round(float(result.max()), 2))


if __name__ == "__main__":
    main()
