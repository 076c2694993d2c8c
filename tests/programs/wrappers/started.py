"""Started by start.sh."""

import sys

epochs = sys.argv[sys.argv.index("--epochs") + 1]
for epoch in range(int(epochs)):
    loss = 1 / (2 - epoch)  # <- cause
    print(epoch, loss)
