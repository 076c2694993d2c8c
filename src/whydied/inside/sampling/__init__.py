"""What is looked at many times a second: the line that runs, and the memory that decides when a census is taken."""
