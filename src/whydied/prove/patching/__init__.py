"""A change of the program's source, written into its files and notebooks, and taken back."""
