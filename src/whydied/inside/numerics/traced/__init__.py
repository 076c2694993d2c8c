"""Watches traced training steps (`tf.function`, `fit`) for values that are not finite, and writes the first bad one."""
