"""Edits of what is too large at once: blocks, copies, batches, layers, inputs."""
