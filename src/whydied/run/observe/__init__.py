"""What is seen of the program from outside: samples, process tree, limits, GPUs, stacks, the kernel's log."""
