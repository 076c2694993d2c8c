"""What gives the samples of a model one at a time, or in batches. Pure."""
