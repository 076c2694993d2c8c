"""What the rules about GPUs share."""
