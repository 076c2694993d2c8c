"""What a library refused, and where the program gave it."""
