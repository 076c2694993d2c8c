"""Targets and what goes with them: class numbers and one-hot rows, and the calls that read the labels. Pure."""
