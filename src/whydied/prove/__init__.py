"""After death: the program run again with one thing changed, and what that shows of the cause."""
