"""Helpers of the program, in a file that has the name of a package."""

from tensorflow.keras import layers, models


def small_net(width):
    return models.Sequential([layers.Input((width,)), layers.Dense(2)])
