"""What loops, files and folders give a program, and what it takes them for."""
