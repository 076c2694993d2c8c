"""One module per way to print what was found. Pure."""
