"""Helpers of the program, in a file that nothing else has the name of."""

from tensorflow.keras import layers, models


def small_net(width):
    return models.Sequential([layers.Input((width,)), layers.Dense(2)])
