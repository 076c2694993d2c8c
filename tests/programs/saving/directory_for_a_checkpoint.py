"""The directory of the checkpoints is given where the prefix of one is meant."""

import os
import tempfile

import tensorflow as tf

folder = tempfile.mkdtemp()
kept = tf.train.Checkpoint(step=tf.Variable(3))
kept.save(os.path.join(folder, "step"))
kept.restore(folder)  # <- cause
print(int(kept.step))
