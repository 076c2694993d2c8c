"""Reads a metric that was stored under a slightly different name."""

history = {"loss": [0.9, 0.4], "val_accuracy": [0.5, 0.7]}
for name in ("loss", "val_acuracy"):
    curve = history[name]  # <- cause
    print(name, curve[-1])
