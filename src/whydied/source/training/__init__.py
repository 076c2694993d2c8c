"""Training in the user's source: its data, gradients, optimizers, batches and sessions. Pure."""
