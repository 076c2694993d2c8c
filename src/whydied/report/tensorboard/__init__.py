"""A run as TensorBoard shows it: `logdir` writes it, the other modules say what there is to write."""
