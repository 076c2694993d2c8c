"""What the kernel tells in small text files: processes, control groups. Imports nothing of ours; runs everywhere."""
