"""A package that ended with an older TensorFlow."""

import os

import tensorflow_addons as tfa  # <- cause

print(os.getcwd(), tfa.optimizers.AdamW(1e-4))
