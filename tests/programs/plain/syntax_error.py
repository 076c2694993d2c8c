"""Does not compile: a bracket is never closed."""

sizes = [16, 32, 64
print(sum(sizes))
