"""The twin of cache_file_read_twice: what is joined is cached, once."""

import os
import tempfile

import tensorflow as tf

folder = tempfile.mkdtemp()
spectra = tf.data.Dataset.range(100).map(lambda n: n * 2)
bands = spectra.map(lambda n: n + 1)
for _ in range(2):
    for first, second in tf.data.Dataset.zip((spectra, bands)).cache(os.path.join(folder, "both")).batch(10):
        print(first.shape, second.shape)
