"""A data set that is cached in a file is joined with another one that is made of it: two readers write the file."""

import os
import tempfile

import tensorflow as tf

folder = tempfile.mkdtemp()
spectra = tf.data.Dataset.range(100).map(lambda n: n * 2).cache(os.path.join(folder, "spectra"))  # <- cause
bands = spectra.map(lambda n: n + 1)
for first, second in tf.data.Dataset.zip((spectra, bands)).batch(10):
    print(first.shape, second.shape)
