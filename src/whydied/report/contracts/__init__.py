"""What the data of a run looked like, and tests for the next one."""
