"""Uses a lot of memory for a moment, near its limit, and gives it back."""

block = bytearray(300 << 20)
for offset in range(0, len(block), 4096):
    block[offset] = 1
del block
print("fine")
