"""From a diagnosis to a fix that was tried on the program: what is run again, and what is written into its files."""
