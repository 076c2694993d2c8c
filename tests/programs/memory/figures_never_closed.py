"""A picture of each epoch, in a figure that pyplot keeps."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import tensorflow as tf


def show_samples(images):
    plt.figure(figsize=(4, 4))  # <- cause
    for place, image in enumerate(images):
        plt.subplot(1, 2, place + 1)
        plt.imshow(image)
        plt.axis("off")
    plt.tight_layout()


for epoch in range(10_000):
    show_samples(tf.random.uniform((2, 1000, 1000, 3)).numpy())
    print("held", (epoch + 1) * 2 * 1000 * 1000 * 3 * 4, flush=True)
