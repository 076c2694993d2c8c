"""What a program waits for, as its source writes it: locks, and loops that sleep. Pure."""
