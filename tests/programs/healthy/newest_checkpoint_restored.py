"""The twin of directory_for_a_checkpoint: the newest checkpoint of the directory."""

import os
import tempfile

import tensorflow as tf

folder = tempfile.mkdtemp()
kept = tf.train.Checkpoint(step=tf.Variable(3))
kept.save(os.path.join(folder, "step"))
kept.restore(tf.train.latest_checkpoint(folder))
print(int(kept.step))
