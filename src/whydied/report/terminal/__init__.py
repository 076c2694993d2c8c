"""What is printed on a terminal."""
