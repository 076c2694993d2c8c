"""One rule per module, by what it is about."""
